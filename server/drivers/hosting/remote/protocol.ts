/** Messages of the node that runs services to other nodes: lines of JSON, and a last line that shows that nothing is missing. */
import type { HostingFault, InstanceLogLine } from '#server/drivers/hosting/hosting-driver.ts'

/** Time, task, level and text of a log line. */
export type LogLineValues = [number, number, InstanceLogLine['level'], string]

export type LastLine = { end: true } | { fault: HostingFault; message: string }

/** Paths of the requests. An instance is named by `serviceId` and `code`, a range by `from` and `to`. */
export const apiPaths = { states: '/states', state: '/state', log: '/log' } as const
