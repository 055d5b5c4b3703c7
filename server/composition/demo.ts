/** What a demo adds to the server. It is registered at the start (`main.ts`), and loaded only where `DEMO` is on. */
import type { FastifyInstance } from 'fastify'
import type { OpenPaymentSandbox } from '#server/composition/open-payments.ts'
import type { Config } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'

export interface DemoExtension {
  /** Fills a new database; does nothing where it was filled before. */
  loadData(app: AppContext): Promise<unknown>
  openPaymentSandbox: OpenPaymentSandbox
  scheduledJobs: readonly ScheduledJob[]
  /** Adds the demo's own pages. */
  servePages(fastify: FastifyInstance, app: AppContext): void
  /** Lines of text for whoever has started the server. */
  welcome(config: Config): string[]
}

/** What the program hands to the server, which knows neither by name. */
export interface ServerExtensions {
  loadDemo(): Promise<DemoExtension>
  /** Path of the program that each service hosted on this machine runs. */
  hostedProgram: string
}

/** Of the installation: when the demo's data was loaded. */
export const demoFactName = 'demo world'
