/** The browser's offer to install, kept until somebody asks for it in the menu; never a pop-up on arrival (P-06). */
import { recall, remember } from '#app/preferences/preferences.ts'

interface InstallEvent extends Event {
  prompt(): Promise<void>
  userChoice: Promise<{ outcome: 'accepted' | 'dismissed' }>
}

export type Offer = 'none' | 'prompt' | 'guide'

const REST_MS = 90 * 24 * 3_600_000

let kept: InstallEvent | null = null
const listeners = new Set<() => void>()
const announce = () => listeners.forEach((listener) => listener())

export function startInstall() {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    kept = event as InstallEvent
    announce()
  })
  window.addEventListener('appinstalled', () => {
    kept = null
    announce()
    void import('#local/space/persistence.ts').then(({ askAtInstall }) => askAtInstall()).catch(() => {})
  })
}

export const subscribeOffer = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const installed = () =>
  matchMedia('(display-mode: standalone)').matches || ('standalone' in navigator && navigator.standalone === true)
/** Safari on iPhone and iPad has no offer: there a guide shows the two steps. iPads call themselves Macs, but can be touched. */
const isApple = () =>
  /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

export function offerNow(): Offer {
  if (installed() || Date.now() < Number(recall('portal.install') ?? 0)) return 'none'
  if (kept) return 'prompt'
  return isApple() ? 'guide' : 'none'
}

/** A no is remembered for 90 days. */
export async function install() {
  const offer = kept
  if (!offer) return
  kept = null
  await offer.prompt()
  const { outcome } = await offer.userChoice
  if (outcome === 'dismissed') remember('portal.install', String(Date.now() + REST_MS))
  announce()
}
