declare const __BUILD__: string

const storageKey = 'portal.loaded-again'
const minuteMs = 60_000

/** Reloads at most once per build or minute in this tab, so that a permanent error does not repeat it endlessly. */
export function reloadOnce(limit: 'build' | 'minute'): void {
  const period = limit === 'build' ? __BUILD__ : String(Math.floor(Date.now() / minuteMs))
  if (sessionStorage.getItem(storageKey + limit) === period) return
  sessionStorage.setItem(storageKey + limit, period)
  location.reload()
}

/**
 * Returns true if a form contains text. Some forms, such as the login form, do not warn before the page is left (see `hasUnsavedInput`).
 */
export const hasFilledForm = () =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('form :is(input, textarea)')].some(
    ({ type, value }) => value !== '' && !['checkbox', 'radio', 'hidden'].includes(type),
  )
