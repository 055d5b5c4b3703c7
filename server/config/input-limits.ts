/**
 * Limits on the size of one request (decision 59, docs/security.md). Each limit is several times what the portal's own client sends: a
 * price list of a thousand modules has 6,000 values, and a batch has 256 kB. Larger requests are refused before they are parsed.
 */
export const inputLimits = {
  /** Characters of path and query. */
  url: 8192,
  /** Bytes of a JSON body, and of one that is accepted without sign-in. */
  jsonBytes: 1_048_576,
  openJsonBytes: 262_144,
  /** Bytes of a form without files. */
  formBytes: 131_072,
  /** Maximum number of pieces of a body, if they have fewer bytes than this on average. */
  pieces: { count: 4096, bytes: 256 },
  pairs: 200,
  queryPairs: 100,
  nameLength: 200,
  json: {
    /** Levels of nesting. */
    depth: 20,
    names: 500,
    /** Maximum number of objects, arrays, names and plain values together. */
    values: 40_000,
    nameLength: 200,
  },
  /** Problems listed in one refusal, and the characters of each field name and value that it repeats. */
  problems: 50,
  fieldLength: 100,
  namedLength: 1000,
  auditPath: 500,
  logMessage: 2000,
  logStack: 8000,
  userAgent: 512,
} as const
