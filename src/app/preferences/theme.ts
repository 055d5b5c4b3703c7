/** Light, dark, or as the system has it; remembered for this browser (C-34). */
import { recall, remember } from '#app/preferences/preferences.ts'

export const themes = ['light', 'dark', 'system'] as const
export type Theme = (typeof themes)[number]

const isTheme = (value: string | null): value is Theme => themes.some((theme) => theme === value)

const systemIsDark = () => matchMedia('(prefers-color-scheme: dark)')

const listeners = new Set<() => void>()

export const themeNow = (): Theme => {
  const stored = recall('portal.theme')
  return isTheme(stored) ? stored : 'system'
}

export const subscribeTheme = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** What is shown, whichever way it was chosen. */
export const isDark = () => themeNow() === 'dark' || (themeNow() === 'system' && systemIsDark().matches)

function paint() {
  const dark = isDark()
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  // The window's own frame follows the page, whatever the system prefers.
  for (const meta of document.querySelectorAll('meta[name=theme-color]')) {
    meta.removeAttribute('media')
    meta.setAttribute('content', dark ? '#141d21' : '#ffffff')
  }
}

export function chooseTheme(theme: Theme) {
  remember('portal.theme', theme)
  repaint()
}

function repaint() {
  paint()
  for (const listener of listeners) listener()
}

export function startTheme() {
  paint()
  systemIsDark().addEventListener('change', repaint)
}
