import type {
  HostingDriver,
  HostingFault,
  InstanceRef,
  HostingOperation,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { SystemUserRange } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import type { TaskTimes } from '#server/drivers/hosting/local/instances/task.ts'

/**
 * Version of the protocol between portal and supervisor. Increase it if two builds would not understand each other. A portal replaces a
 * supervisor with a lower version, and does not use one with a higher version.
 */
export const protocolVersion = 4

/** Settings of a supervisor. If a portal starts with other settings, it replaces the supervisor. */
export interface SupervisorSettings {
  folder: string
  program: string
  domain: string
  /** Address on which the gateway listens. */
  host: string
  /** Port of the gateway; 0 chooses a free port, preferably the previous one. */
  port: number
  trustProxy: number
  tls: boolean
  /** Memory in MB for all services together; 0 means as much as this machine can provide. */
  memoryMb: number
  /** System users for the instances. Null if all instances run as the portal's user. */
  users: SystemUserRange | null
  /** Time in ms without running instances and requests after which the supervisor ends. */
  idleMs: number
  times: Partial<TaskTimes>
}

export interface SupervisorGreeting {
  version: number
  pid: number
  settings: SupervisorSettings
  /** Reason why services share the portal's user, or null. Missing in supervisors of earlier builds. */
  isolationProblem?: string | null
}

export const supervisorCallNames = [
  'prepare',
  'install',
  'configure',
  'start',
  'switchOver',
  'rollBack',
  'stop',
  'setPassword',
  'takeData',
  'remove',
  'erase',
  'look',
  'lookAll',
] as const
export type SupervisorCallName = (typeof supervisorCallNames)[number]
interface SupervisorCalls extends Omit<HostingDriver, 'readData' | 'replaceData'> {
  /** Replaces the instance's data by the draft with this name, which the portal has built before. */
  takeData(ref: InstanceRef, draftName: string, operation: HostingOperation): Promise<void>
}
export type SupervisorCallArguments<N extends SupervisorCallName> = Parameters<SupervisorCalls[N]>
export type SupervisorCallResult<N extends SupervisorCallName> = Awaited<ReturnType<SupervisorCalls[N]>>

export interface SupervisorCall {
  name: SupervisorCallName
  arguments: unknown[]
}
export type SupervisorCallResponse =
  | { result: unknown }
  | { fault: HostingFault | 'internal'; message: string; details?: Record<string, string> }
