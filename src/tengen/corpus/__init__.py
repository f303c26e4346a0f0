"""Games and labels at scale: readers, the Parquet store, labels, data sets, shards and workers."""
