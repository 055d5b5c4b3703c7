/** What the portal and the supervisor say to each other, as JSON over the socket in the folder. */
import type {
  HostingDriver,
  HostingFault,
  InstanceRef,
  HostingOperation,
} from '#server/drivers/hosting/hosting-driver.ts'
import type { SystemUserRange } from '#server/drivers/hosting/local/instances/user-isolation.ts'
import type { TaskTimes } from '#server/drivers/hosting/local/instances/task.ts'

/** Rises when portal and supervisor of two builds would not understand each other. The higher one wins. */
export const protocolVersion = 3

/** What a supervisor goes by; another one takes its place where a portal starts with others. */
export interface SupervisorSettings {
  folder: string
  /** Path of the program that each service runs. */
  program: string
  /** Services are at `www.CODE.DOMAIN`. */
  domain: string
  /** Of the gateway, on this machine; 0: any free one, the same again when it can be had. */
  port: number
  /** Proxies in front of the gateway whose X-Forwarded-For is believed. */
  trustProxy: number
  /** People reach services over TLS. */
  tls: boolean
  /** Of all services together; 0: what this machine can give. */
  memoryMb: number
  /** Users of the operating system for instances; null: they share the portal's. */
  users: SystemUserRange | null
  /** How long it stays when nothing is to run and nobody asks, ms. */
  idleMs: number
  /** Where they are not the usual ones. */
  times: Partial<TaskTimes>
}

export interface SupervisorGreeting {
  version: number
  pid: number
  settings: SupervisorSettings
  /** Why services share the user of the portal; null: they do not. Supervisors of earlier builds do not say. */
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
  /** What the portal has built under that name among the instance's drafts, in place of the data that it has. */
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
