const { TEST_DATABASE_URL: server, TEST_CITUS_URL: cluster } = process.env

// The reason why a test is skipped in this run, or false.
export const skipEmbedded =
  !server && !cluster && 'the embedded database has one process and one connection'
export const skipCluster = cluster !== undefined && 'the rows and their locks are on other nodes'
export const skipUnlessServer = skipEmbedded || skipCluster
export const skipUnlessCluster = cluster === undefined && 'TEST_CITUS_URL names no cluster'
