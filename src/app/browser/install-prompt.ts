/** Stores the browser's offer to install until the user opens it from the menu. It is never a pop-up on arrival (P-06). */
import { readPreference, storePreference } from '#app/preferences/preferences.ts'

interface InstallEvent extends Event {
  prompt(): Promise<void>
  userChoice: Promise<{ outcome: 'accepted' | 'dismissed' }>
}

export type InstallOffer = 'none' | 'prompt' | 'guide'

const REST_MS = 90 * 24 * 3_600_000

let deferredPrompt: InstallEvent | null = null
const listeners = new Set<() => void>()
const notifyListeners = () => listeners.forEach((listener) => listener())

export function watchInstallPrompt() {
  window.addEventListener('beforeinstallprompt', (event) => {
    event.preventDefault()
    deferredPrompt = event as InstallEvent
    notifyListeners()
  })
  window.addEventListener('appinstalled', () => {
    deferredPrompt = null
    notifyListeners()
    void import('#local/space/persistence.ts')
      .then(({ requestPersistenceAtInstall }) => requestPersistenceAtInstall())
      .catch(() => {})
  })
}

export const subscribeToInstallOffer = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const isInstalled = () =>
  matchMedia('(display-mode: standalone)').matches || ('standalone' in navigator && navigator.standalone === true)
/** Safari on iPhone and iPad needs a guide. iPads identify themselves as Macs but have a touch screen. */
const isApple = () =>
  /iPhone|iPad/.test(navigator.userAgent) || (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)

export function getInstallOffer(): InstallOffer {
  if (isInstalled() || Date.now() < Number(readPreference('portal.install') ?? 0)) return 'none'
  if (deferredPrompt) return 'prompt'
  return isApple() ? 'guide' : 'none'
}

/** Opens the browser's install dialog. If the user refuses, the app is not offered again for 90 days. */
export async function promptInstall() {
  const installEvent = deferredPrompt
  if (!installEvent) return
  deferredPrompt = null
  await installEvent.prompt()
  const { outcome } = await installEvent.userChoice
  if (outcome === 'dismissed') storePreference('portal.install', String(Date.now() + REST_MS))
  notifyListeners()
}
