from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.errors import DocumentUnreadable
from core.library.decoding import clean, decode

SIMPLIFIED = (
    "灯塔港的渔民每天清晨出海，傍晚回到码头。老船长说，今年的天气比去年好，鱼也比去年多。市场上的价格没有变化，但是运输费用增加了百分之五。"
    "港务局决定在下个月修理北边的防波堤，工程需要三个星期，期间大船必须停在南边。学校的孩子们给工人画了一张大画，画上有海、有船，还有一座很高的灯塔。"
    "晚上七点，大家在广场上听音乐，吃刚从海里捞上来的虾。请在规定时间内提交申请表，逾期不予受理；如有问题，请与办公室联系。"
)
TRADITIONAL = (
    "燈塔港的漁民每天清晨出海，傍晚回到碼頭。老船長說，今年的天氣比去年好，魚也比去年多。市場上的價格沒有變化，但是運輸費用增加了百分之五。"
    "港務局決定在下個月修理北邊的防波堤，工程需要三個星期，期間大船必須停在南邊。學校的孩子們給工人畫了一張大畫，畫上有海、有船，還有一座很高的燈塔。"
    "晚上七點，大家在廣場上聽音樂，吃剛從海裡撈上來的蝦。請在規定時間內提交申請表，逾期不予受理；如有問題，請與辦公室聯繫。"
)
JAPANESE = (
    "灯台の町では、毎朝早くから漁師たちが海へ出ていきます。年をとった船長は、今年の天気は去年よりもよいと言いました。市場の値段は変わりませんが、運賃は五パーセント上がりました。"
    "港の事務所は来月、北の防波堤を修理することに決めました。工事には三週間かかります。その間、大きな船は南側に泊まらなければなりません。子どもたちは絵を描いて、働く人たちに渡しました。"
    "夜七時から広場で音楽会があります。申込書は期限までに提出してください。ご質問は事務所までお問い合わせください。"
)
KOREAN = (
    "등대 마을의 어부들은 매일 아침 일찍 바다로 나갑니다. 늙은 선장은 올해 날씨가 작년보다 좋다고 말했습니다. 시장의 가격은 변하지 않았지만 운송 비용은 오 퍼센트 올랐습니다. "
    "항만 사무소는 다음 달에 북쪽 방파제를 수리하기로 결정했습니다. 공사는 삼 주가 걸리며 그동안 큰 배는 남쪽에 머물러야 합니다. 아이들은 그림을 그려서 일하는 사람들에게 주었습니다. "
    "저녁 일곱 시에 광장에서 음악회가 열립니다. 신청서는 기한까지 제출해 주십시오. 질문이 있으면 사무소로 연락해 주십시오."
)
GERMAN = (
    "Die Fischer des kleinen Städtchens fahren jeden Morgen früh hinaus. Der alte Kapitän sagt, das Wetter sei heuer schöner als im Vorjahr; die Größe der Fische übertrifft alles. "
    "Die Preise auf dem Markt haben sich nicht geändert, aber die Fracht wurde um fünf Prozent teurer. Bitte füllen Sie das Formular aus und schicken Sie es rechtzeitig zurück."
)
FRENCH = (
    "Les pêcheurs de la petite ville sortent en mer chaque matin de bonne heure. Le vieux capitaine dit que le temps est meilleur cette année. Les prix du marché n'ont pas changé, mais le coût "
    "du transport a augmenté de 5 % — « c'est très fâcheux », déclara le maire, « même l'été ». Les élèves ont dessiné un bateau pour les ouvriers ; où est-il passé ? Ça, nul ne le sait."
)
WESTERN = (
    "Los pescadores del pequeño pueblo salen al mar cada mañana muy temprano. El viejo capitán dice que el tiempo es mejor este año. El próximo año, según el señor Muñoz, el café y la leña "
    "costarán 3 € más. ¿Quién pagará la reparación del malecón? Los niños dibujaron un barco para los obreros: “So what?”, said the keeper’s naïve cousin."
)
RUSSIAN = (
    "Рыбаки маленького города каждое утро рано выходят в море. Старый капитан говорит, что погода в этом году лучше, чем в прошлом. Цены на рынке не изменились, но перевозка стала дороже на пять процентов. "
    "Портовая служба решила в следующем месяце чинить северный мол; работа займёт три недели, и всё это время большие суда будут стоять на южной стороне. Вечером на площади играет музыка."
)
GREEK = (
    "Οι ψαράδες της μικρής πόλης βγαίνουν κάθε πρωί νωρίς στη θάλασσα. Ο γέρος καπετάνιος λέει ότι ο καιρός φέτος είναι καλύτερος από πέρυσι. Οι τιμές στην αγορά δεν άλλαξαν, αλλά η μεταφορά έγινε ακριβότερη. "
    "Το γραφείο του λιμανιού αποφάσισε να επισκευάσει τον βόρειο μώλο τον επόμενο μήνα."
)
POLISH = (
    "Rybacy z małego miasta wypływają co rano wcześnie w morze. Stary kapitan mówi, że pogoda w tym roku jest lepsza niż w zeszłym. Ceny na targu się nie zmieniły, ale przewóz podrożał o pięć procent. "
    "Urząd portowy postanowił w przyszłym miesiącu naprawić północny falochron; praca potrwa trzy tygodnie, a duże statki będą stały po południowej stronie. Wieczorem gra muzyka, źdźbło trawy, gęś, łódź."
)
TURKISH = (
    "Küçük kasabanın balıkçıları her sabah erkenden denize açılır. Yaşlı kaptan, bu yıl havanın geçen yıldan daha iyi olduğunu söylüyor. Çarşıdaki fiyatlar değişmedi, ama taşıma ücreti yüzde beş arttı. "
    "Liman müdürlüğü önümüzdeki ay kuzey mendireğini onarmaya karar verdi; iş üç hafta sürecek ve büyük gemiler güneyde bekleyecek. Akşam meydanda müzik var, ığdır, şemsiye, çocuklar."
)

EXACT = [
    (SIMPLIFIED, "gb18030"), (SIMPLIFIED, "gbk"), (SIMPLIFIED, "gb2312"), (TRADITIONAL, "big5"), (TRADITIONAL, "gb18030"), (JAPANESE, "shift_jis"), (JAPANESE, "cp932"),
    (JAPANESE, "euc_jp"), (JAPANESE, "iso2022_jp"), (KOREAN, "euc_kr"), (KOREAN, "cp949"), (WESTERN, "cp1252"), (GERMAN, "cp1252"), (FRENCH, "cp1252"), (GERMAN, "iso8859_1"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8_r"), (RUSSIAN, "cp866"),
    (GREEK, "cp1253"), (POLISH, "cp1250"), (POLISH, "iso8859_2"), (TURKISH, "cp1254"),
]  # fmt: skip
UNICODE = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]


@pytest.mark.parametrize(("text", "encoding"), EXACT, ids=lambda value: value if len(value) < 20 else value[:3])
def test_files_of_two_hundred_characters_are_decoded_exactly(text: str, encoding: str) -> None:
    for start in range(0, len(text) - 200, 10):
        piece = text[start : start + 220]
        assert decode(piece.encode(encoding)).text == piece


@pytest.mark.parametrize(("text", "encoding"), EXACT[:11], ids=lambda value: value if len(value) < 20 else value[:3])
def test_nearly_all_short_east_asian_files_are_decoded_exactly(text: str, encoding: str) -> None:
    pieces = [text[start : start + 30] for start in range(0, len(text) - 30, 5)]

    right = sum(decode(piece.encode(encoding)).text == piece for piece in pieces)

    assert right >= len(pieces) * 0.95


@pytest.mark.parametrize("encoding", UNICODE)
@pytest.mark.parametrize("text", [SIMPLIFIED, JAPANESE, KOREAN, WESTERN, RUSSIAN, "plain words only", "列\t表\n第二行 line"])
def test_unicode_is_decoded_with_and_without_a_mark(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


def test_big_endian_marks_are_understood() -> None:
    assert decode(codecs.BOM_UTF16_BE + WESTERN.encode("utf-16-be")).text == WESTERN
    assert decode(codecs.BOM_UTF32_BE + WESTERN.encode("utf-32-be")).text == WESTERN


def test_a_file_that_is_mostly_code_keeps_its_encoding() -> None:
    text = "def add(a, b):\n    return a + b\n" * 100 + "# 计算两个数的和，返回结果\n"

    assert decode(text.encode("gb18030")).text == text


def test_a_very_long_file_is_decoded_by_its_beginning() -> None:
    text = (SIMPLIFIED + "\n") * 400

    assert decode(text.encode("gb18030")).text == text


def test_one_bad_byte_does_not_spoil_a_file() -> None:
    raw = SIMPLIFIED.encode("utf-8")

    assert decode(raw[:300] + b"\xff" + raw[300:]).encoding == "utf-8"
    assert decode(SIMPLIFIED.encode("gb18030")[:-1]).encoding == "gb18030"


@pytest.mark.parametrize(
    "text",
    [
        "a,b,c\n4,5,©",
        "© 2019 Example Ltd",
        "25 °C",
        "see § 4",
        "10 ± 2 mm",
        "£5 a month",
        "½ cup",
        "• first\n• second",
        "20 €",
        "café",
        "à demain",
        "è così",
    ],
)
def test_a_sign_by_itself_is_not_taken_for_a_letter(text: str) -> None:
    assert decode(text.encode("cp1252")).text == text


def test_a_word_of_one_letter_is_one() -> None:
    assert decode("я и он, а в саду".encode("koi8_r")).text == "я и он, а в саду"
    assert decode("Škoda".encode("iso8859_2")).text == "Škoda"


def test_what_a_page_declares_decides_between_alphabets() -> None:
    assert decode("Łódź żółć".encode("cp1250"), declared="cp1250").text == "Łódź żółć"
    assert decode("Łódź".encode(), declared="cp1250").text == "Łódź"
    assert decode("naïve".encode("cp1252"), declared="no-such-encoding").text


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7 text",
        b"PK\x03\x04rest",
        b"\x89PNG\r\n",
        b"\x7fELF" + b"\0" * 50,
        bytes(range(256)) * 20,
        b"\0" * 100,
        b"\x01\x02\x03" * 100,
    ],
)
def test_what_is_no_text_is_binary(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        decode(data)

    assert caught.value.code == "binary"


@pytest.mark.parametrize("data", [b" \n\t ", b"\xef\xbb\xbf", b"\xff\xfe", "\u200b\u2060".encode()])
def test_what_has_no_visible_text_is_empty(data: bytes) -> None:
    with pytest.raises(DocumentUnreadable) as caught:
        decode(data)

    assert caught.value.code == "empty"


def test_line_ends_become_one_kind() -> None:
    assert decode(b"a\r\nb\rc\n").text == "a\nb\nc\n"


def test_hidden_characters_are_taken_out_and_joiners_stay() -> None:
    hidden = "a\u200bb\u202ec\u2066d\U000e0041e\ufefff\u00adg\x1bh\0i"

    assert clean(hidden) == "abcdefghi"
    assert clean("👨\u200d👩\u200d👧 می\u200cخواهم") == "👨\u200d👩\u200d👧 می\u200cخواهم"


@given(st.binary(max_size=400))
def test_any_bytes_give_text_or_a_reason(data: bytes) -> None:
    try:
        decoded = decode(data)
    except DocumentUnreadable as error:
        assert error.code in ("binary", "empty")
        return

    assert decoded.text.strip()
    assert "\0" not in decoded.text
    assert "\r" not in decoded.text
    decoded.text.encode("utf-8")
    codecs.lookup(decoded.encoding)


@pytest.mark.parametrize(
    ("raw", "seen"),
    [
        ("\x1b[1;31mERROR\x1b[0m disk full", "ERROR disk full"),
        ("\x1b[38:2::255:0:0mred\x1b[m\x1b[K", "red"),
        ("\x1b]0;a title\x07prompt$ ls", "prompt$ ls"),
        ("see \x1b]8;;https://example.org\x1b\\the page\x1b]8;;\x1b\\ there", "see the page there"),
        ("\x1b(Bplain\x1b=", "plain"),
        ("N\bNA\bAM\bME\bE of the _\bf_\bi_\bl_\be", "NAME of the file"),
        ("cut off \x1b[", "cut off ["),
    ],
)
def test_what_a_terminal_obeys_does_not_stick_to_the_words(raw: str, seen: str) -> None:
    assert decode(raw.encode()).text == seen


@pytest.mark.parametrize(
    ("common", "odd", "encoding"),
    [
        (GERMAN, "Gebühr bezahlt, Müller grüßt", "cp1252"),
        (SIMPLIFIED, "第二部分是旧编码的内容，请联系办公室。", "gb18030"),
        (RUSSIAN, "Договор аренды заключён вчера", "cp1251"),
    ],
    ids=["German", "Chinese", "Russian"],
)
def test_lines_that_another_program_wrote_in_an_older_encoding_are_read_among_lines_of_utf8(common: str, odd: str, encoding: str) -> None:
    """Here a log of three lines, there a long text."""
    for before, after in ((1, 1), (20, 5)):
        lines = [common] * before, [odd], [common] * after
        data = b"".join(line.encode(encoding if line == odd else "utf-8") + b"\n" for part in lines for line in part)

        decoded = decode(data)

        assert decoded.text.split("\n") == [*lines[0], odd, *lines[2], ""]
        assert decoded.encoding == "utf-8"


def test_utf8_that_was_damaged_is_not_taken_for_an_older_encoding() -> None:
    """One byte is gone in each of two lines."""
    good = "Größe und Menge für Möbel".encode()
    data = b"\n".join([good, good, good, good[:3] + good[4:], good, good, good.replace("ö".encode(), b"\xc3", 1), good])

    text = decode(data).text

    assert text.count("\ufffd") == 2
    assert text.count("Möbel") == 8
