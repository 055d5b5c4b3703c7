/**
 * Card fields of the demo: a frame with a page of the payment sandbox, which is a different origin. The frame has a sandbox attribute
 * without `allow-same-origin`, so its origin is opaque and its messages have the origin "null". Messages are therefore accepted by their
 * source window and by a nonce that only this frame received.
 */
import {
  type CardFields,
  type CardTokenResult,
  readFieldStyles,
  reuseCardToken,
} from '#features/orders/payment/card-fields.ts'
import { subscribeToTheme } from '#ui/display/theme.ts'
import { getLanguage } from '#ui/i18n/messages.ts'

interface FrameMessage {
  cardFields?: string
  kind?: 'ready' | 'height' | 'changed' | CardTokenResult['kind']
  height?: number
  request?: number
  token?: string
}

const openWithinMs = 10_000
/** Maximum time from the frame's load event to the first message of its script, ms. */
const scriptWithinMs = 2000
const tokenWithinMs = 20_000

const styleProperties = [
  '--text',
  '--muted',
  '--accent-text',
  '--line',
  '--line-strong',
  '--surface',
  '--sunken',
  '--danger',
  '--focus',
  '--radius',
  '--font',
] as const

/** Rejects if the frame does not open or the content security policy blocks it. */
export async function openSandboxCardFields(
  container: HTMLElement,
  address: string,
  title: string,
): Promise<CardFields> {
  const nonce = crypto.randomUUID()
  const frame = document.createElement('iframe')
  frame.title = title
  frame.className = 'payment-frame'
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.referrerPolicy = 'no-referrer'
  frame.src = `${address}?${new URLSearchParams({ shop: location.origin, lang: getLanguage(), nonce })}`

  const listeners = new Set<(message: FrameMessage) => void>()
  const onMessage = ({ source, origin, data }: MessageEvent<FrameMessage | null>) => {
    if (source !== frame.contentWindow || origin !== 'null' || data?.cardFields !== nonce) return
    for (const listener of listeners) listener(data)
  }
  const postMessage = (message: object) => frame.contentWindow?.postMessage({ cardFields: nonce, ...message }, '*')
  const sendStyles = () => {
    const { colorScheme: scheme, fontSize } = getComputedStyle(document.documentElement)
    postMessage({ kind: 'looks', scheme, fontSize, values: readFieldStyles(styleProperties) })
  }
  const unsubscribeFromTheme = subscribeToTheme(sendStyles)
  addEventListener('message', onMessage)
  function close() {
    removeEventListener('message', onMessage)
    unsubscribeFromTheme()
    frame.remove()
  }

  let requestCount = 0
  const tokens = reuseCardToken(async () => {
    const requestNumber = ++requestCount
    const response = await waitFor(
      listeners,
      (message) => message.request === requestNumber,
      tokenWithinMs,
      () => postMessage({ kind: 'create', request: requestNumber }),
    )
    if (response?.kind === 'token' && response.token) return { kind: 'token', token: response.token }
    // The frame shows the error at the card field itself.
    return response?.kind === 'invalid' ? { kind: 'invalid', message: '' } : { kind: 'failed' }
  })
  listeners.add(({ kind, height }) => {
    if (kind === 'height' && typeof height === 'number') frame.style.blockSize = `${Math.min(height, 1000)}px`
    // A frame that has reloaded has empty fields.
    if (kind === 'changed' || kind === 'ready') tokens.dropToken()
    if (kind === 'ready') sendStyles()
  })
  const abort = new AbortController()
  const readyMessage = await waitFor(
    listeners,
    ({ kind }) => kind === 'ready',
    openWithinMs,
    (giveUp) => {
      const { signal } = abort
      frame.addEventListener('load', () => setTimeout(giveUp, scriptWithinMs), { signal })
      // The page may have been stored with an older content security policy that blocks the frame.
      const onViolation = ({ effectiveDirective }: SecurityPolicyViolationEvent) =>
        effectiveDirective === 'frame-src' && giveUp()
      document.addEventListener('securitypolicyviolation', onViolation, { signal })
      container.append(frame)
    },
  )
  abort.abort()
  if (!readyMessage) {
    close()
    throw new Error('the frame with the card fields did not open')
  }
  return { ...tokens, setAmount: tokens.dropToken, close }
}

/** Returns the first matching message, or null after the timeout or if `giveUp` was called. */
function waitFor(
  listeners: Set<(message: FrameMessage) => void>,
  isMatch: (message: FrameMessage) => boolean,
  withinMs: number,
  start: (giveUp: () => void) => void,
): Promise<FrameMessage | null> {
  return new Promise((resolve) => {
    const finish = (message: FrameMessage | null) => {
      clearTimeout(timer)
      listeners.delete(listener)
      resolve(message)
    }
    const listener = (message: FrameMessage) => {
      if (isMatch(message)) finish(message)
    }
    const timer = setTimeout(() => finish(null), withinMs)
    listeners.add(listener)
    start(() => finish(null))
  })
}
