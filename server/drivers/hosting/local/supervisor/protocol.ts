import type {
  HostingDriver,
  HostingFault,
  InstanceRef,
  HostingOperation,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { SystemUserRange } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import type { TaskTimes } from '#server/drivers/hosting/local/instances/task.ts'

/** Increase it if two builds would not understand each other. The higher version replaces the lower one. */
export const protocolVersion = 3

/** Settings of a supervisor. If a portal starts with other settings, it replaces the supervisor. */
export interface SupervisorSettings {
  folder: string
  program: string
  domain: string
  /** Port of the gateway; 0 chooses a free port, preferably the previous one. */
  port: number
  trustProxy: number
  tls: boolean
  /** Memory of all services together; 0 uses what this machine can provide. */
  memoryMb: number
  /** System users for instances. Null if they share the portal's user. */
  users: SystemUserRange | null
  /** How long it stays without running instances and without requests, in ms. */
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
  /** Replaces the instance's data by the draft with this name, which the portal has built. */
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
