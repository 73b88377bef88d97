"""Experiments: seeded functions that return their numbers, and commands that print them."""

EXPERIMENTS = {
    "parsing": "short sentences of CRAFT beside a PCFG, T04 section 4.5",
    "alignment": "homologues among decoys, synthetic and real, T04 section 4.4",
    "taxonomy": "classes in a tree: shared weights and tree loss, T04 section 4.2",
    "celegans": "genes of C. elegans, found by sequence models",
    "proteins": "secondary structure of proteins by letters alone, in folds",
    "entities": "named entities, beside python-crfsuite on the same features",
    "clinc150": "intents in a taxonomy from two or four examples each (T04, section 4.2)",
    "figure7": "accuracy and iterations against n (Bauer et al., Fig. 7), all cores, resumable",
}
"""What `python -m viterbi_lab.experiments` offers: the module, which has a ``main``, and what it is about."""
