/**
 * The page's end of the request pipeline: endpoint and input in, Result out. Nothing throws. Light on purpose: the sign-in page
 * and the first list carry it; what writes, and what touches the device's storage, comes when first needed.
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
    // What a line that is gone throws is one of these; all else is a mistake of ours.
    if (!(error instanceof TypeError || error instanceof DOMException)) pageCall.ports.report(error)
    return createFailure('OFFLINE')
  }
}

async function callRead({ ports, endpoint, input, options }: PageCall): Promise<CallResult<unknown>> {
  const request = toCallRequest(ports, toHttpRequest(endpoint, input as never), {})
  const response = await ports.pipeline(withSignal(request, options), endpoint)
  return response.type === 'error' ? createFailure('OFFLINE') : await toCallResult(response)
}
