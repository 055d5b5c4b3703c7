/** Faults of a log, a note or a proof. Texts: `fault.<code>` in `locales/en/storedTrail.json`. */
export const logFaults = [
  'NOT_A_LEAF_VALUE',
  'LEAF_NOT_CANONICAL',
  'LEAF_UNREADABLE',
  'BAD_HASH',
  'BAD_SIZE',
  'BAD_INDEX',
  'BAD_TILE',
  'TILE_MISSING',
  'WRONG_COUNT_OF_HASHES',
  'ROOT_DIFFERS',
  'OLD_ROOT_DIFFERS',
  'LOG_SHRANK',
  'BAD_NOTE',
  'BAD_CHECKPOINT',
  'BAD_KEY',
  'NOT_SIGNED_BY_KEY',
  'SIGNATURE_INVALID',
  'OTHER_LOG',
  'STREAM_CUT',
  'STREAM_BAD',
  'ROW_DIFFERS',
  'ENTRY_DIFFERS',
  'ENTRY_UNSEALED',
  'RESTORED',
  'TABLES_CHANGED',
  'FILE_TOO_LARGE',
  'FILE_NO_JSON',
  'FILE_FORMAT',
  'FIELD_MISSING',
] as const
export type LogFault = (typeof logFaults)[number]

/** `detail` is for operators and logs, in English. */
export class LogError extends Error {
  readonly code: LogFault
  constructor(code: LogFault, detail: string) {
    super(detail)
    this.name = 'LogError'
    this.code = code
  }
}
