/** What a page lends to the request pipeline. */
import type { Endpoint } from '#contract/endpoint.ts'
import type { CallOptions } from '#request/call-results.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CallInput } from '#request/transport/call-http.ts'

export interface PagePorts extends PipelinePorts {
  /** To the worker where one is in control, else to the same pipeline in this page. */
  pipeline(request: Request, endpoint: Endpoint): Promise<Response>
  /** Asks who sits here for the password and has the server hear it; false: they would not. */
  stepUp?(): Promise<boolean>
}

/** One call of a page, with the ports that it runs on. */
export interface PageCall {
  ports: PagePorts
  endpoint: Endpoint
  input: CallInput
  options: CallOptions
}
