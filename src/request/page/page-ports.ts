/** What a page lends to the request pipeline. */
import type { Endpoint } from '#contract/endpoint.ts'
import type { PipelinePorts } from '#request/ports.ts'

export interface PagePorts extends PipelinePorts {
  /** To the worker where one is in control, else to the same pipeline in this page. */
  pipeline(request: Request, endpoint: Endpoint): Promise<Response>
  /** Asks who sits here for the password and has the server hear it; false: they would not. */
  stepUp?(): Promise<boolean>
}
