"""Files read with a bound and written as a whole (`files`), or piece by piece while something runs (`output`); tables
read by column (`columns`).
"""
