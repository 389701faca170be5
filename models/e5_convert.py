"""Turns the 4-bit file of multilingual-e5-small into a sentence-transformers folder, once, at installation.

The file (magic `E5S1`) holds a tokenizer and a BERT encoder whose matrices are rounded to 4 bits in blocks of 32. The folder holds the same
numbers as 32-bit floats: twice the size of 16-bit ones, but exact, mapped into memory as they are (half the loading time and 440 MB less
memory at the peak, measured) and never computed with in half precision by accident. Every byte written is a function of the file alone, so
the result has a known SHA-256.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from core.errors import InstallFailed
from models.e5_file import E5File, read_e5

_HEADER_ALIGNMENT = 8
_BERT_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
_EMBEDDING_NAMES = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}


def bert_tensors(file: E5File) -> Iterator[tuple[str, str, tuple[int, ...]]]:
    """Yield (name in the file, name in a `BertModel`, shape) of every tensor."""
    shape = file.shape
    hidden, wide = shape.hidden, shape.feed_forward
    rows = {"emb.word": shape.vocabulary, "emb.pos": shape.max_positions, "emb.type": shape.token_types}
    for name, target in _EMBEDDING_NAMES.items():
        yield name, target, (rows[name], hidden) if name in rows else (hidden,)
    matrices = dict.fromkeys(("q", "k", "v", "ao"), (hidden, hidden)) | {"fi": (wide, hidden), "fo": (hidden, wide)}
    for layer in range(shape.layers):
        for short, long in _BERT_NAMES.items():
            weight = matrices.get(short, (hidden,))
            yield f"l{layer}.{short}.w", f"encoder.layer.{layer}.{long}.weight", weight
            yield f"l{layer}.{short}.b", f"encoder.layer.{layer}.{long}.bias", weight[:1]


def _pooler(hidden: int) -> Iterator[tuple[None, str, tuple[int, ...]]]:
    """A `BertModel` has a pooler that mean pooling never reads; without these zeros, loading reports missing weights and makes up random ones."""
    yield None, "pooler.dense.weight", (hidden, hidden)
    yield None, "pooler.dense.bias", (hidden,)


def write_safetensors(file: E5File, target: Path) -> None:
    """Write the weights as float32, one tensor at a time.

    Written here rather than by the safetensors package so that the bytes, and their hash, do not depend on its version.
    """
    names = [*bert_tensors(file), *_pooler(file.shape.hidden)]
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    at = 0
    for _, name, shape in names:
        size = 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    head = json.dumps(header, separators=(",", ":")).encode("ascii")
    head += b" " * (-len(head) % _HEADER_ALIGNMENT)
    with target.open("wb") as out:
        out.write(struct.pack("<Q", len(head)))
        out.write(head)
        for source, _, shape in names:
            values = np.zeros(shape, "<f4") if source is None else file.tensor(source).astype("<f4", copy=False)
            if values.size != np.prod(shape):
                raise InstallFailed(f"The embedding model's file is damaged: {source} does not have the shape {shape}. Install it again.")
            out.write(values.tobytes())


def tokenizer_description(file: E5File) -> dict[str, Any]:
    """The tokenizer in the `tokenizers` library's own JSON form.

    Scores are written with the seven digits that a float32 has, which halves the file and its loading time.
    """
    special = {file.beginning, file.padding, file.end, file.unknown, len(file.pieces) - 1}
    begin, end = file.pieces[file.beginning], file.pieces[file.end]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [
            {
                "id": number,
                "content": file.pieces[number],
                "single_word": False,
                "lstrip": file.pieces[number] == "<mask>",
                "rstrip": False,
                "normalized": False,
                "special": True,
            }
            for number in sorted(special)
        ],
        "normalizer": {"type": "Sequence", "normalizers": list(_normalizers())},
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [{"type": "WhitespaceSplit"}, _METASPACE],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [_special(begin, 0), _sequence("A"), _special(end, 0)],
            "pair": [_special(begin, 0), _sequence("A"), _special(end, 0), _special(end, 0), _sequence("B"), _special(end, 0)],
            "special_tokens": {
                begin: {"id": begin, "ids": [file.beginning], "tokens": [begin]},
                end: {"id": end, "ids": [file.end], "tokens": [end]},
            },
        },
        "decoder": _METASPACE,
        "model": {
            "type": "Unigram",
            "unk_id": file.unknown,
            "vocab": [[piece, float(str(score))] for piece, score in zip(file.pieces, file.scores, strict=True)],
            "byte_fallback": False,
        },
    }


_METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}


def _special(token: str, type_id: int) -> dict[str, Any]:
    return {"SpecialToken": {"id": token, "type_id": type_id}}


def _sequence(name: str) -> dict[str, Any]:
    return {"Sequence": {"id": name, "type_id": 0}}


def _normalizers() -> Iterator[dict[str, Any]]:
    """The file's normalisation map: NFKC, except that control characters vanish, odd spaces become spaces, and the full-width tilde stays."""
    yield _replace(r"[\x{01}-\x{08}\x{0B}\x{0E}-\x{1F}\x{7F}\x{8F}\x{9F}]", "")
    yield _replace(r"[\x{09}\x{0A}\x{0C}\x{0D}\x{1680}\x{200B}-\x{200F}\x{2028}\x{2029}\x{2581}\x{FEFF}\x{FFFD}]", " ")
    yield _replace("～", _TILDE_KEEPER)
    yield {"type": "NFKC"}
    yield _replace(_TILDE_KEEPER, "～")


# A code point that never occurs in text (a noncharacter), so the way back meets only what the way there put in.
_TILDE_KEEPER = "\ufdd0"


def _replace(pattern: str, content: str) -> dict[str, Any]:
    kind = "Regex" if pattern.startswith("[") else "String"
    return {"type": "Replace", "pattern": {kind: pattern}, "content": content}


def _json_files(file: E5File) -> dict[str, Any]:
    shape = file.shape
    return {
        "config.json": {
            "architectures": ["BertModel"],
            "model_type": "bert",
            "hidden_act": "gelu",
            "hidden_size": shape.hidden,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": shape.heads,
            "intermediate_size": shape.feed_forward,
            "vocab_size": shape.vocabulary,
            "max_position_embeddings": shape.max_positions,
            "type_vocab_size": shape.token_types,
            "layer_norm_eps": float(f"{file.epsilon:.6g}"),
            "position_embedding_type": "absolute",
            "pad_token_id": file.padding,
            "hidden_dropout_prob": 0.1,
            "attention_probs_dropout_prob": 0.1,
            "dtype": "float32",
        },
        "tokenizer_config.json": {
            "tokenizer_class": "PreTrainedTokenizerFast",
            "model_max_length": shape.max_positions,
            "bos_token": file.pieces[file.beginning],
            "cls_token": file.pieces[file.beginning],
            "eos_token": file.pieces[file.end],
            "sep_token": file.pieces[file.end],
            "pad_token": file.pieces[file.padding],
            "unk_token": file.pieces[file.unknown],
            "mask_token": file.pieces[-1],
        },
        "modules.json": [
            {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
            {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
            {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"},
        ],
        "sentence_bert_config.json": {"max_seq_length": shape.max_positions, "do_lower_case": False},
        "config_sentence_transformers.json": {
            "prompts": {"query": "query: ", "passage": "passage: "},
            "default_prompt_name": None,
            "similarity_fn_name": "cosine",
        },
        "1_Pooling/config.json": {"word_embedding_dimension": shape.hidden, "pooling_mode_mean_tokens": True},
    }


def convert(source: Path, folder: Path) -> None:
    """Write the sentence-transformers folder for the `E5S1` file `source` into the existing, empty `folder`."""
    file = read_e5(source)
    write_safetensors(file, folder / "model.safetensors")
    tokenizer = json.dumps(tokenizer_description(file), ensure_ascii=False, separators=(",", ":"))
    (folder / "tokenizer.json").write_text(tokenizer, encoding="utf-8", newline="\n")
    (folder / "1_Pooling").mkdir()
    (folder / "2_Normalize").mkdir()
    for name, content in _json_files(file).items():
        (folder / name).write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8", newline="\n")
