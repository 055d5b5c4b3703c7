/**
 * The page's API client: takes an endpoint and its input, returns a result, and never throws. Kept small, because the sign-in page and the
 * first list load it. Code for writes and for the device's storage is loaded when first needed.
 */
import { toHttpRequest } from '#contract/http-mapping.ts'
import { createFailure, type CallInput, toCallRequest, toCallResult, withSignal } from '#request/transport/call-http.ts'
import type { PageCall, PagePorts } from '#request/page/page-ports.ts'
import { type ApiClient, isReadCall, type CallResult } from '#request/call-results.ts'

export function createApi(ports: PagePorts): ApiClient {
  return {
    call: async (endpoint, input, options) =>
      (await call({ ports, endpoint, input: input as CallInput, options: options ?? {} })) as CallResult<never>,
  }
}

async function call(pageCall: PageCall): Promise<CallResult<unknown>> {
  try {
    if (isReadCall(pageCall.endpoint)) return await callRead(pageCall)
    return await (await import('#request/page/dispatch-write.ts')).dispatchWrite(pageCall)
  } catch (error) {
    // A lost connection throws one of these. Any other error is a bug.
    if (!(error instanceof TypeError || error instanceof DOMException)) pageCall.ports.report(error)
    return createFailure('OFFLINE')
  }
}

async function callRead({ ports, endpoint, input, options }: PageCall): Promise<CallResult<unknown>> {
  const request = toCallRequest(ports, toHttpRequest(endpoint, input as never), {})
  const response = await ports.pipeline(withSignal(request, options), endpoint)
  return response.type === 'error' ? createFailure('OFFLINE') : await toCallResult(response)
}
