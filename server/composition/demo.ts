/** Defines what a demo adds to the server. `main.ts` passes a function that loads the demo, and the server calls it only in demo mode. */
import type Docker from 'dockerode'
import type { FastifyInstance } from 'fastify'
import type { OpenPaymentSandbox } from '#server/composition/open-payments.ts'
import type { Config } from '#server/config/config.ts'
import type { AppContext } from '#server/context/context.ts'
import type { ScheduledJob } from '#server/jobs/scheduled-job.ts'

export interface DemoExtension {
  /** Fills a new database. Does nothing if the data was loaded before. */
  loadData(app: AppContext): Promise<unknown>
  openPaymentSandbox: OpenPaymentSandbox
  /** Makes the image of the sample instance, unless it exists, for `HOSTING=docker` without SERVICE_IMAGE. Returns its name. */
  importSampleImage(docker: Docker): Promise<string>
  scheduledJobs: readonly ScheduledJob[]
  servePages(fastify: FastifyInstance, app: AppContext): void
  /** Lines printed for the person who starts the server. */
  welcome(config: Config): string[]
}

/** Parts of the program that `main.ts` passes to the server, because the server does not import them itself. */
export interface ServerExtensions {
  loadDemo(): Promise<DemoExtension>
  hostedProgram: string
}

export const demoFactName = 'demo world'
