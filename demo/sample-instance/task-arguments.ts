/** What a task is told by its supervisor, as its argument. */
export interface TaskArguments {
  serviceId: number
  code: string
  /** Of the task, from 1. */
  number: number
  /** Where it listens. */
  socket: string
  /** Of the instance: `apps`. */
  folder: string
  /** The folder of its tasks' logs. */
  logs: string
  /** The folder of its data. */
  data: string
  limitMb: number
  apps: readonly {
    code: string
    name: string
    version: string
    module: string
    flags: Readonly<Record<string, boolean | number>>
    /** In `apps`; null: its package was not kept. */
    folder: string | null
  }[]
}
