/**
 * Limits on the size of one request (decision 59, docs/security.md). Each limit is several times what the portal's own client sends: a
 * price list of a thousand modules has 6,000 values, and a batch has 256 kB. A larger request is refused before its content is parsed.
 */
export const inputLimits = {
  /** Maximum number of characters of path and query. */
  url: 8192,
  /** Maximum number of bytes of a JSON body, and of a JSON body that is accepted without sign-in. */
  jsonBytes: 1_048_576,
  openJsonBytes: 262_144,
  /** Maximum number of bytes of a form without files. */
  formBytes: 131_072,
  /** Maximum number of network chunks of a body. More chunks are accepted if they have at least `bytes` bytes on average. */
  pieces: { count: 4096, bytes: 256 },
  pairs: 200,
  queryPairs: 100,
  nameLength: 200,
  json: {
    /** Maximum levels of nesting. */
    depth: 20,
    names: 500,
    /** Maximum number of objects, arrays, names and plain values together. */
    values: 40_000,
    nameLength: 200,
  },
  /** Maximum number of problems in one refusal, and of characters of each field name and value that a problem repeats. */
  problems: 50,
  fieldLength: 100,
  namedLength: 1000,
  auditPath: 500,
  logMessage: 2000,
  logStack: 8000,
  userAgent: 512,
} as const
