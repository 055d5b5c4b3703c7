/** Sets the theme: light, dark, or the system's theme. The choice is stored for this browser (C-34). */
import { readPreference, storePreference } from '#app/preferences/preferences.ts'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

const isTheme = (value: string | null): value is Theme => themes.some((theme) => theme === value)

const getDarkMedia = () => matchMedia('(prefers-color-scheme: dark)')

const listeners = new Set<() => void>()

export const readTheme = (): Theme => {
  const storedTheme = readPreference('portal.theme')
  return isTheme(storedTheme) ? storedTheme : 'system'
}

export const subscribeToTheme = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const isDark = () => readTheme() === 'dark' || (readTheme() === 'system' && getDarkMedia().matches)

function applyTheme() {
  const isDarkNow = isDark()
  document.documentElement.dataset.theme = isDarkNow ? 'dark' : 'light'
  // The window frame follows the page and not the system.
  for (const meta of document.querySelectorAll('meta[name=theme-color]')) {
    meta.removeAttribute('media')
    meta.setAttribute('content', isDarkNow ? '#141d21' : '#ffffff')
  }
}

export function storeTheme(theme: Theme) {
  storePreference('portal.theme', theme)
  updateTheme()
}

function updateTheme() {
  applyTheme()
  for (const listener of listeners) listener()
}

export function startTheme() {
  applyTheme()
  getDarkMedia().addEventListener('change', updateTheme)
}
