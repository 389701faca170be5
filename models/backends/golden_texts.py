"""Texts of our own by which the encoder's precision is chosen: passages of the usual length and short ones, in two languages."""

from __future__ import annotations

GOLDEN_TEXTS = (
    "Staff handbook\nLeave > Paid leave\nEvery keeper has twenty-four days of paid leave a year. Days that are not taken by the end of March lapse, "
    "unless the service itself asked for them to be put off. Whoever falls ill during leave and brings a doctor's note within three days gets the "
    "days back. Leave is asked for in writing, at least two weeks before it begins; the head of the station answers within five working days. "
    "In the months of the autumn storms at most one keeper of a station may be away at a time.",
    "Manual\nMaintenance > Lens\n| part | every | with |\n| --- | --- | --- |\n| outer glass | day | soft cloth and distilled water |\n"
    "| prisms | month | brush, then alcohol of 70 % |\n| bearing | 500 h | grease LT-3, 12 g |\n| lamp changer | year | check both springs, "
    "replace below 3.5 N |\nNever clean the prisms while the lamp is warm: the glass cracks at a difference of more than 40 degrees.",
    "Chapter one\nThe bell had not rung since the winter in which the ferry went down, and the people of the island had stopped to listen for it. "
    "So when it rang on a still night in June, three times and then once more, nobody went to the window. Only the old pilot put down his pipe, "
    "counted, and reached for his boots. He knew that there was no wind that could have moved it.",
    'def settle(accounts):\n    """Close what is paid and return what is still open, oldest first."""\n    open_accounts = [a for a in accounts if a.balance != 0]\n'
    "    for account in open_accounts:\n        account.remind(days=14)\n    return sorted(open_accounts, key=lambda account: account.opened)",
    "员工手册\n假期 > 带薪年假\n灯塔管理员每年享有二十四天带薪年假。当年三月底以前没有休完的天数作废，但因工作需要被推迟的除外。休假期间生病并在三天内提交医生证明的，"
    "病假天数不计入年假。休假须提前两周以书面形式申请，站长在五个工作日内答复。秋季风暴期间，每个站同时休假的人不得超过一名。新员工满三个月后方可申请，第一年的天数按月份折算。",
    "港口简史\n十九世纪初，这里只有七户渔民。一八二六年修起第一座木制栈桥，二十年后改为石砌，至今仍在使用。铁路通车以后，煤炭和木材取代了鲱鱼，"
    "成为主要的货物；到一九一〇年，每年进港的船只超过一千二百艘。战后港口一度荒废，直到渡轮航线恢复，镇上的人口才重新增长。如今的灯塔已经无人值守，但每年夏天仍然向游客开放。",
    "却说那老舵手听得钟响，心中暗想：今夜无风，这钟如何自鸣？便披衣而起，点了灯笼，往礁石上走来。只见海面平静如镜，钟楼里却有一个人影，"
    "背对着他，正把绳子一圈一圈地绕在手上。老舵手喝道：“来者何人？”那人也不回头，只说：“我来还一件三十年前借去的东西。”",
    "订单 2026-1187：灯泡 12 只，单价 86.50 元；轴承润滑脂 LT-3，3 罐；交货日期 11 月 20 日；联系人：陈女士。",
    "Invoice 2026-0412: 14 lamps at 38.20, 2 springs at 4.75, delivered on 9 October to the north pier.",
    "Who may be on leave during the autumn storms?",
    "年假没有休完怎么办？",
    "A",
)
"""A text that means nearly nothing is among them: such vectors are the first to go astray."""
