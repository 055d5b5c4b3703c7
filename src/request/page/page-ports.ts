import type { Endpoint } from '#contract/endpoint.ts'
import type { CallOptions } from '#request/call-results.ts'
import type { PipelinePorts } from '#request/ports.ts'
import type { CallInput } from '#request/transport/call-http.ts'

export interface PagePorts extends PipelinePorts {
  /** Sends to the worker if one controls the page, otherwise to the same pipeline in this page. */
  pipeline(request: Request, endpoint: Endpoint): Promise<Response>
  /** Asks the user for the password and confirms it at the server. Returns false if the user cancels. */
  stepUp?(): Promise<boolean>
}

export interface PageCall {
  ports: PagePorts
  endpoint: Endpoint
  input: CallInput
  options: CallOptions
}
