/**
 * Runs the hosted services, on this machine or in a cloud. Calls describe the target state, so that they can be repeated. They also name
 * their operation, so that an outdated one (its node was suspended while another continued) is refused instead of undoing newer changes.
 */

/** Identifies an instance. The code is not enough, because another company can use it once it is free. */
export interface InstanceRef {
  serviceId: number
  code: string
}

/** Increases with each operation. A call with a lower fence than the instance has seen is refused as `overtaken`. */
export interface HostingOperation {
  fence: number
}

/** D42: memory in MB, 0 lets the platform decide; number of tasks, -1 lets the platform decide, 0 means stopped. */
export interface InstanceConfig {
  memoryMb: number
  tasks: number
}

export interface InstanceApp {
  code: string
  name: string
  version: string
  module: string
  /** Settings from its module, by key. */
  flags: Readonly<Record<string, boolean | number>>
  /** Path and SHA-256 of its package on this machine. Null if it was published before packages were stored. */
  package: { path: string; sha256: string } | null
}

export interface InstanceAddress {
  /** Ends with a slash. */
  url: string
  adminUrl: string
}

export interface TaskState {
  /** Starts at 1. */
  number: number
  /** Epoch ms. */
  started: number
  /** Allowed and used memory in MB. `usedMb` is null if not known yet. */
  limitMb: number
  usedMb: number | null
  healthy: boolean
}

/** Reason why an instance that should run is not running. The messages are in `locales/en/services.json`. */
export type InstanceFault =
  /** Its tasks keep ending. Restarts continue with growing delays. */
  | 'keeps_ending'
  /** A task exceeded its memory limit and was replaced. */
  | 'out_of_memory'
  | 'no_answer'

export interface InstanceState extends InstanceRef {
  /** False if it was removed and its data is still stored. */
  created: boolean
  wanted: 'running' | 'stopped'
  /** The latest configuration. `active` may still differ (a reboot is needed). */
  config: InstanceConfig
  /** The configuration to run with now, which may differ from that of the next start. Null if it should not run. */
  active: InstanceConfig | null
  /** The configuration with which the oldest running task was started. Null if no task runs. */
  running: InstanceConfig | null
  apps: readonly Pick<InstanceApp, 'code' | 'version'>[]
  tasks: readonly TaskState[]
  healthy: boolean
  fault: InstanceFault | null
  address: InstanceAddress
}

/** Values that both SQLite and PostgreSQL support. Integers beyond 2^53 are bigint. */
export type DataValue = null | string | number | bigint | Uint8Array

export interface DataColumn {
  name: string
  /** `any`: each value has its own type. */
  type: 'integer' | 'real' | 'text' | 'blob' | 'any'
  notNull: boolean
  /** Position in the primary key, from 1; 0 if the column is not part of it. */
  key: number
}

/**
 * The data of an instance in pieces: each table with its rows (empty tables too), then statements to run after all rows. A backup store
 * only needs tables and rows; the statements are for hosts of the same kind.
 */
export type DataPiece =
  /** `statement` creates the table, in the SQL of the host's own database. */
  | { kind: 'table'; name: string; columns: readonly DataColumn[]; statement: string }
  /** Rows of the preceding table, with values in the order of its columns. At most 1,000 rows. */
  | { kind: 'rows'; rows: readonly (readonly DataValue[])[] }
  | { kind: 'end'; statements: readonly string[] }

export interface InstanceLogLine {
  /** Epoch ms. */
  time: number
  /** 0 for entries of the supervisor. */
  task: number
  level: 'info' | 'warn' | 'error'
  /** A single line without control characters. Longer texts are cut and end with the number of missing characters. */
  text: string
}

export type HostingFault =
  /** A later operation has already changed the instance. */
  | 'overtaken'
  /** There is no such instance and no data of one. */
  | 'no_instance'
  /** The host has no room: disk, memory or number of instances. */
  | 'no_room'
  /** Too little unreserved memory. Details in MB: task count, limit and allowance per task, needed sum, free memory. */
  | 'no_memory'
  /** A package is missing or differs from the published one. */
  | 'bad_package'
  /** The data to restore is inconsistent. Nothing was overwritten. */
  | 'bad_data'
  /** The host does not respond. A later attempt may succeed. */
  | 'unreachable'

export class HostingError extends Error {
  readonly fault: HostingFault
  /** Values for the placeholders of the message. */
  readonly details: Readonly<Record<string, string>>
  constructor(
    fault: HostingFault,
    message: string,
    { details = {}, ...options }: ErrorOptions & { details?: Record<string, string> } = {},
  ) {
    super(message, options)
    this.name = 'HostingError'
    this.fault = fault
    this.details = details
  }
}

/** All methods throw a HostingError. When a call returns, its effect is durable. */
export interface HostingDriver {
  readonly name: string
  /** Creates an instance without starting it. `hadData` is true if it has data and users of an earlier instance. */
  prepare(
    ref: InstanceRef,
    spec: { name: string; config: InstanceConfig },
    operation: HostingOperation,
  ): Promise<{ address: InstanceAddress; hadData: boolean }>
  /** Sets the apps and versions. Other apps are removed. Running tasks use them after their next start. */
  install(ref: InstanceRef, apps: readonly InstanceApp[], operation: HostingOperation): Promise<void>
  /** Stores the configuration for the next start. */
  configure(ref: InstanceRef, config: InstanceConfig, operation: HostingOperation): Promise<void>
  /** Sets the target state to running; does not wait for health. `fresh` replaces older tasks, one at a time. */
  start(ref: InstanceRef, options: { fresh: boolean }, operation: HostingOperation): Promise<void>
  /** Sets the target state to stopped. Returns when no task runs. */
  stop(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** Sets the password of the instance's user `admin` and ends that user's sessions, whether it runs or not. */
  setPassword(ref: InstanceRef, password: string, operation: HostingOperation): Promise<void>
  /** Stops and removes the instance. Its data and logs stay. Does nothing if there is no instance. */
  remove(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** Like `remove`, and also deletes the data, the logs and all records of the instance. */
  erase(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** Consistent snapshot of the data; a running instance keeps running. Throws `no_instance` if it does not exist. */
  readData(ref: InstanceRef): AsyncIterable<DataPiece>
  /**
   * Replaces the data completely or not at all, even after a crash. The pieces are checked in a separate file first; their errors are
   * rethrown and change nothing. Running tasks are restarted. Users stay signed in only if their session is in the new data.
   */
  replaceData(ref: InstanceRef, pieces: AsyncIterable<DataPiece>, operation: HostingOperation): Promise<void>
  /** Returns null if the instance is unknown. */
  look(ref: InstanceRef): Promise<InstanceState | null>
  lookAll(): Promise<InstanceState[]>
  /** Entries from `from` (inclusive) to `to` (exclusive), in epoch ms, oldest first. Also for removed instances. */
  readLog(ref: InstanceRef, range: { from: number; to: number }): AsyncIterable<InstanceLogLine>
  /** Calls `onChange` when the state of an instance may have changed. Returns a stop function. */
  watch(onChange: (ref: InstanceRef) => void): () => void
  /** Disconnects. Running instances keep running. */
  close(): Promise<void>
}
