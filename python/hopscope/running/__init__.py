"""Running: scenarios as a whole (`runner`), one step by step (`stepping`), one flow over a wired link (`wired`)."""
