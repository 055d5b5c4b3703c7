/** The pages of a gateway, as a browser without a script walks them. */
export interface GatewayPage {
  /** After all redirects inside the sandbox; the shop's own address is not opened. */
  url: string
  status: number
  headers: Headers
  text: string
}

/** Opens a page, or sends its form, and goes wherever the gateway leads. */
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
