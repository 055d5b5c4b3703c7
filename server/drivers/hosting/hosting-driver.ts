/**
 * What runs the hosted services: processes of this machine, or of a cloud. Every call that changes something says what is to be,
 * so that the same call again does nothing twice; and it names the operation that it is part of, so that one which was overtaken
 * (its node slept, another went on) is refused in place of undoing what came after it.
 */

/** Which system. The code alone would not do: once it is free it can be another company's. */
export interface InstanceRef {
  serviceId: number
  code: string
}

/** Ever rising for a service. A call with a lower one than the instance has met is refused as `overtaken`. */
export interface HostingOperation {
  fence: number
}

/** As D42: memory in MB, 0 leaves it to the platform; tasks, -1 leaves them to the platform, 0 is stopped. */
export interface InstanceConfig {
  memoryMb: number
  tasks: number
}

/** An app in the version that is to run. */
export interface InstanceApp {
  code: string
  name: string
  version: string
  /** Its module's code. */
  module: string
  /** What it is told by its module; by key. */
  flags: Readonly<Record<string, boolean | number>>
  /** Where its package lies on this machine, and the SHA-256 of it; null: it was published before packages were kept. */
  package: { path: string; sha256: string } | null
}

export interface InstanceAddress {
  /** With a slash at the end. */
  url: string
  adminUrl: string
}

/** One process or container. */
export interface TaskState {
  /** From 1. */
  number: number
  /** Epoch ms. */
  started: number
  /** What it may use, MB, and what it uses; null: not known yet. */
  limitMb: number
  usedMb: number | null
  /** It has answered the last health check. */
  healthy: boolean
}

/** Why an instance that is to run does not; words for it stand in `locales/en/services.json`. */
export type InstanceFault =
  /** Its tasks end again and again; it is still tried, ever more seldom. */
  | 'keeps_ending'
  /** A task used more memory than it may, and was replaced. */
  | 'out_of_memory'
  /** Its tasks run and do not answer. */
  | 'no_answer'

export interface InstanceState extends InstanceRef {
  /** False: it was taken away, and its data is kept. */
  created: boolean
  wanted: 'running' | 'stopped'
  /** As it was written down last; `active` may still be otherwise (needs a reboot). */
  config: InstanceConfig
  /** What it is to run with now, whatever is configured for the next start; null: it is not to run. */
  active: InstanceConfig | null
  /** What the oldest running task was started with; null: none runs. */
  running: InstanceConfig | null
  apps: readonly Pick<InstanceApp, 'code' | 'version'>[]
  tasks: readonly TaskState[]
  /** At least one task answers. */
  healthy: boolean
  fault: InstanceFault | null
  address: InstanceAddress
}

/** As SQLite and PostgreSQL both have them. Integers beyond 2^53 are bigint. */
export type DataValue = null | string | number | bigint | Uint8Array

export interface DataColumn {
  name: string
  /** `any`: each of its values is of its own type. */
  type: 'integer' | 'real' | 'text' | 'blob' | 'any'
  notNull: boolean
  /** Its place in the primary key, from 1; 0: none. */
  key: number
}

/**
 * The data of an instance, piece by piece, in this order: each table with its rows (a table without rows too), then what is made
 * once they are in. Whoever keeps it needs to understand tables and rows alone; the statements are for the same kind of host.
 */
export type DataPiece =
  /** `statement`: makes it, as the host's own database says it. */
  | { kind: 'table'; name: string; columns: readonly DataColumn[]; statement: string }
  /** Of the table that was named last; in the order of its columns. At most 1,000 at a time. */
  | { kind: 'rows'; rows: readonly (readonly DataValue[])[] }
  /** Indexes, triggers, counters. */
  | { kind: 'end'; statements: readonly string[] }

export interface InstanceLogLine {
  /** Epoch ms. */
  time: number
  /** 0: of the supervisor, not of a task. */
  task: number
  level: 'info' | 'warn' | 'error'
  /** One line, without control characters; longer ones are cut and say how much is missing. */
  text: string
}

export type HostingFault =
  /** A later operation has been here. */
  | 'overtaken'
  /** No such instance, and no data of one. */
  | 'no_instance'
  /** The host has no room for it: disk, memory, or as many as it takes. */
  | 'no_room'
  /**
   * The host has not so much memory beside what it has promised to others; details: `tasks` with `memory` and `beside` each, which
   * are `needed` together, and `free`. In MB.
   */
  | 'no_memory'
  /** A package is not there, or not the one that was published. */
  | 'bad_package'
  /** Data that is to be put in does not fit together: nothing was overwritten. */
  | 'bad_data'
  /** Nobody answers there; it may turn out differently later. */
  | 'unreachable'

export class HostingError extends Error {
  readonly fault: HostingFault
  /** Values for the words in which it is told. */
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

/** All throw a HostingError. What is said to be done is on the disk, or as the platform keeps it, when they answer. */
export interface HostingDriver {
  readonly name: string
  /**
   * A place for the system, with the data that an earlier one of the same service left, if any. Nothing runs yet. `hadData`:
   * whether there was some; where there was, its users and passwords are those of before.
   */
  prepare(
    ref: InstanceRef,
    spec: { name: string; config: InstanceConfig },
    operation: HostingOperation,
  ): Promise<{ address: InstanceAddress; hadData: boolean }>
  /** From now on these apps, in these versions; what runs takes them up with its next start. Others go. */
  install(ref: InstanceRef, apps: readonly InstanceApp[], operation: HostingOperation): Promise<void>
  /** Writes down what the next start goes by. */
  configure(ref: InstanceRef, config: InstanceConfig, operation: HostingOperation): Promise<void>
  /** Is to run. `fresh`: what an earlier operation started is replaced, one task after the other. Does not wait for health. */
  start(ref: InstanceRef, options: { fresh: boolean }, operation: HostingOperation): Promise<void>
  /** Is not to run; answers when nothing does. */
  stop(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** Of its user `admin`, running or not; whoever is signed in there as that user is not any more. */
  setPassword(ref: InstanceRef, password: string, operation: HostingOperation): Promise<void>
  /** Stops it and takes it away; its data and its logs stay. Nothing to do where there is none. */
  remove(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** And its data, its logs, and what is known of it. */
  erase(ref: InstanceRef, operation: HostingOperation): Promise<void>
  /** Its data as it was at one moment, running or not, while it goes on. Throws `no_instance` where there is none. */
  readData(ref: InstanceRef): AsyncIterable<DataPiece>
  /**
   * In place of the data that it has: all of it or none, whatever is cut off when. The pieces are taken in and checked beside it
   * first; an error that they throw is thrown on and changes nothing. What runs is stopped for the exchange and started again; who
   * is signed in there is not any more where the data says so.
   */
  replaceData(ref: InstanceRef, pieces: AsyncIterable<DataPiece>, operation: HostingOperation): Promise<void>
  /** Null: nothing is known of it. */
  look(ref: InstanceRef): Promise<InstanceState | null>
  /** All of them. */
  lookAll(): Promise<InstanceState[]>
  /** From `from` on, before `to` (epoch ms), oldest first. Of one that was taken away too. */
  readLog(ref: InstanceRef, range: { from: number; to: number }): AsyncIterable<InstanceLogLine>
  /** Hears when the state of any may have changed. Answers how to stop. */
  watch(onChange: (ref: InstanceRef) => void): () => void
  /** Lets go. What runs goes on. */
  close(): Promise<void>
}
