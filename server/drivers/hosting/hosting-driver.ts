/**
 * Defines the driver that runs hosted services, on this machine or in a cloud. Calls describe the target state, so that they can be
 * repeated. Each call also contains the fence of its operation. An operation that was suspended, while another one continued its work, is
 * refused and cannot undo newer changes.
 */

/** Identifies an instance. The code alone does not, because another company can use it after the service was deleted. */
export interface InstanceRef {
  serviceId: number
  code: string
}

/** `fence` increases with each operation. A call with a lower fence than the instance has seen is refused as `overtaken`. */
export interface HostingOperation {
  fence: number
}

/** D42. `memoryMb` 0 and `tasks` -1 let the platform decide. `tasks` 0 means stopped. */
export interface InstanceConfig {
  memoryMb: number
  tasks: number
}

export interface InstanceApp {
  code: string
  name: string
  version: string
  module: string
  /** Settings from the app's module, by key. */
  flags: Readonly<Record<string, boolean | number>>
  /** Path and SHA-256 of the package on this machine. Null if the app was published before packages were stored. */
  package: { path: string; sha256: string } | null
}

export interface InstanceAddress {
  /** Both URLs end with a slash. */
  url: string
  adminUrl: string
}

export interface TaskState {
  /** Number of the task, from 1. */
  number: number
  /** Epoch ms. */
  started: number
  /**
   * Allowed and used memory in MB. `limitMb` can be more than the configuration asks for, if the platform has fixed sizes. `usedMb` is null
   * if it is not measured.
   */
  limitMb: number
  usedMb: number | null
  healthy: boolean
}

/** Reason why an instance that should run is not running. The messages are in `locales/en/services.json`. */
export type InstanceFault =
  /** The tasks of the instance keep ending. They are restarted with growing delays. */
  | 'keeps_ending'
  /** A task exceeded its memory limit and was replaced. */
  | 'out_of_memory'
  | 'no_answer'
  /** Tasks of a deployment run, but their health check has never succeeded. */
  | 'not_healthy'
  /** The platform cannot get the image of the program. */
  | 'no_image'
  /** No machine has enough unreserved memory for another task. */
  | 'no_memory'
  /** The machine that has the data of the instance is not reachable for the platform. */
  | 'node_lost'

/** The latest start of an instance with new settings. Until it is completed, the platform can return to the tasks that ran before. */
export interface Deployment {
  /** Fence of the operation that began it. Identifies the deployment in every driver. */
  fence: number
  state: 'in_progress' | 'completed' | 'rolled_back'
  /** Number of healthy tasks with the new settings, and number of tasks that the configuration asks for. */
  healthyTasks: number
  wantedTasks: number
  /** Why it has not become healthy. Stays after a rollback, until the next operation. */
  fault: InstanceFault | null
}

export interface InstanceState extends InstanceRef {
  /** False if the instance was removed. Its data is still stored. */
  created: boolean
  wanted: 'running' | 'stopped'
  /** The latest configuration, with which tasks are started next. `active` may differ (a reboot is needed). */
  config: InstanceConfig
  /** The configuration with which tasks should run now. Null if no task should run. */
  active: InstanceConfig | null
  /** The configuration with which the oldest running task was started. Null if no task runs. */
  running: InstanceConfig | null
  apps: readonly Pick<InstanceApp, 'code' | 'version'>[]
  tasks: readonly TaskState[]
  healthy: boolean
  /**
   * If the instance is healthy, this is the fault of a deployment that was rolled back: the previous version keeps running. Otherwise the
   * reason why it is not healthy.
   */
  fault: InstanceFault | null
  /** Null before the first start, and for a stopped or removed instance. */
  deployment: Deployment | null
  address: InstanceAddress
}

/** Values that both SQLite and PostgreSQL support. Integers beyond 2^53 are bigint. */
export type DataValue = null | string | number | bigint | Uint8Array

export interface DataColumn {
  name: string
  /** `any` means that each value has a type of its own. */
  type: 'integer' | 'real' | 'text' | 'blob' | 'any'
  notNull: boolean
  /** Position in the primary key, from 1; 0 if the column is not part of it. */
  key: number
}

/**
 * A piece of an instance's data. Each table comes with its rows (empty tables too), then the statements that are run after all rows. A
 * backup store needs only tables and rows; the statements are for hosts of the same kind.
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
  /** Number of the task; 0 for entries of the supervisor. */
  task: number
  level: 'info' | 'warn' | 'error'
  /** A single line without control characters. Longer texts are cut and end with the number of missing characters. */
  text: string
}

export type HostingFault =
  /** A later operation has already changed the instance. */
  | 'overtaken'
  /** There is neither an instance nor data of an earlier one. */
  | 'no_instance'
  /** The host has no room: disk, memory or number of instances. */
  | 'no_room'
  /** Too little unreserved memory. Details in MB: task count, limit and allowance per task, needed sum, free memory. */
  | 'no_memory'
  /** A package is missing or differs from the published one. */
  | 'bad_package'
  /** The data to restore is inconsistent. Nothing was overwritten. */
  | 'bad_data'
  /** The platform cannot get the image of the program. */
  | 'no_image'
  /** The host refuses calls because there are too many. A later attempt may succeed. */
  | 'throttled'
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

/** Returns a `HostingError` unchanged, and wraps any other error. */
export const toHostingError = (error: unknown, message: string, fault: HostingFault = 'unreachable'): HostingError =>
  error instanceof HostingError ? error : new HostingError(fault, message, { cause: error })

/** Errors of all methods are HostingErrors, except errors of `pieces`. When a call returns, its effect is durable. */
export interface HostingDriver {
  readonly name: string
  /** Creates an instance without starting it. `hadData` is true if there is data of an earlier instance that users may have worked in. */
  prepare(
    ref: InstanceRef,
    spec: { name: string; config: InstanceConfig },
    operation: HostingOperation,
  ): Promise<{ address: InstanceAddress; hadData: boolean }>
  /** Sets the apps and their versions. Apps that are not listed are removed. Running tasks use the new apps after their next start. */
  install(ref: InstanceRef, apps: readonly InstanceApp[], operation: HostingOperation): Promise<void>
  /** Stores the configuration for the next start. */
  configure(ref: InstanceRef, config: InstanceConfig, operation: HostingOperation): Promise<void>
  /** Sets the target state to running; does not wait until the instance is healthy. `fresh` replaces older tasks, one at a time. */
  start(ref: InstanceRef, options: { fresh: boolean }, operation: HostingOperation): Promise<void>
  /**
   * Completes the deployment of this operation: the platform no longer returns to the tasks that ran before. Called when all tasks are
   * healthy. Does nothing if the deployment is completed already, or if another operation began it.
   */
  switchOver(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /**
   * Returns to the settings and tasks that ran before the deployment of this operation; data stay. An instance that did not run before
   * keeps its new tasks. If the operation began no deployment, because its start was refused, only the apps return that were installed for
   * it. Does nothing if the deployment is completed. `fault` is stored as its reason.
   */
  rollBack(ref: InstanceRef, fault: InstanceFault, operation: HostingOperation): Promise<void>
  /** Sets the target state to stopped. Returns when no task runs. */
  stop(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** Sets the password of the instance's user `admin` and ends that user's sessions. The instance may be running or stopped. */
  setPassword(ref: InstanceRef, password: string, operation: HostingOperation): Promise<void>
  /** Stops and removes the instance. Its data and logs stay. Does nothing if there is no instance. */
  remove(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** Like `remove`, and also deletes the data, the logs and all records of the instance. */
  erase(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** Reads a consistent snapshot of the data, while a running instance keeps running. Throws `no_instance` if there is no data. */
  readData(ref: InstanceRef): AsyncIterable<DataPiece>
  /**
   * Replaces the data completely or not at all, even after a crash. The pieces are checked in a separate file first; their errors are
   * rethrown and change nothing. Running tasks are restarted. Users stay signed in only if their session is in the new data.
   */
  replaceData(ref: InstanceRef, pieces: AsyncIterable<DataPiece>, operation: HostingOperation): Promise<void>
  /** Returns null if the instance was never created, or was erased. */
  look(ref: InstanceRef): Promise<InstanceState | null>
  lookAll(): Promise<InstanceState[]>
  /** Reads entries from `from` (inclusive) to `to` (exclusive), in epoch ms, oldest first. Also works for removed instances. */
  readLog(ref: InstanceRef, range: { from: number; to: number }): AsyncIterable<InstanceLogLine>
  /**
   * Regular work that one node of the portal does for all, like collecting logs and removing remains of interrupted calls. Null if the
   * platform needs none.
   */
  upkeep: (() => Promise<void>) | null
  /** Calls `onChange` when the state of an instance may have changed. Returns a stop function. */
  watch(onChange: (ref: InstanceRef) => void): () => void
  /** Disconnects. Running instances keep running. */
  close(): Promise<void>
}
