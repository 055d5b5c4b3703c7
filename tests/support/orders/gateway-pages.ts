/** A page of a gateway, navigated without scripts. */
export interface GatewayPage {
  /** Address after all redirects within the sandbox. The shop's own address is not opened. */
  url: string
  status: number
  headers: Headers
  text: string
}

/** Opens a page or submits its form, and follows the gateway's redirects. */
export async function openGatewayPage(address: string, form?: Record<string, string>): Promise<GatewayPage> {
  const body = form ? { method: 'POST', body: new URLSearchParams(form) } : {}
  const response = await fetch(address, { redirect: 'manual', ...body })
  const location = response.headers.get('location')
  if (location === null)
    return { url: address, status: response.status, headers: response.headers, text: await response.text() }
  const next = new URL(location, address)
  if (next.origin !== new URL(address).origin) return { url: next.href, status: 0, headers: response.headers, text: '' }
  return await openGatewayPage(next.href)
}
