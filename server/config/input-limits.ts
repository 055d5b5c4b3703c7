/**
 * How much one request may hold, in one place (decision 59, docs/security.md). Each is several times what the portal's own client
 * sends: a price list of a thousand modules has 6,000 values, and a batch 256 kB. What goes beyond is refused before it is parsed.
 */
export const inputLimits = {
  /** Characters of path and query. */
  url: 8192,
  /** Bytes of a JSON body, and of one that is taken without sign-in. */
  jsonBytes: 1_048_576,
  openJsonBytes: 262_144,
  /** Bytes of a form without files. */
  formBytes: 131_072,
  /** Pieces in which a body of any kind may come, where they have fewer bytes than that on average. */
  pieces: { count: 4096, bytes: 256 },
  /** Pairs of a form, and of a query. */
  pairs: 200,
  queryPairs: 100,
  /** Characters of the name of a field, in forms, queries and JSON. */
  nameLength: 200,
  json: {
    /** Levels of nesting. */
    depth: 20,
    /** Names in one object. */
    names: 500,
    /** Objects, arrays, names and plain values together. */
    values: 40_000,
    /** Characters of a name. */
    nameLength: 200,
  },
  /** Problems that one refusal lists, and characters of a field's name and of a value that it repeats. */
  problems: 50,
  fieldLength: 100,
  namedLength: 1000,
  /** Characters of a path in the audit trail. */
  auditPath: 500,
  /** Characters of an error's message and of its stack in the log. */
  logMessage: 2000,
  logStack: 8000,
  /** Characters of a User-Agent that are looked at. */
  userAgent: 512,
} as const
