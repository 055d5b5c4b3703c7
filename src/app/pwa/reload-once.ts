declare const __BUILD__: string

const storageKey = 'portal.loaded-again'
const minuteMs = 60_000

/** Loads the page again, once a build or once a minute in this tab: what is missing for good ends in words, not in a circle. */
export function reloadOnce(limit: 'build' | 'minute'): void {
  const period = limit === 'build' ? __BUILD__ : String(Math.floor(Date.now() / minuteMs))
  if (sessionStorage.getItem(storageKey + limit) === period) return
  sessionStorage.setItem(storageKey + limit, period)
  location.reload()
}

/** What stands in a form, a login's password above all, for which no page asks before it is left. */
export const hasFilledForm = () =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('form :is(input, textarea)')].some(
    ({ type, value }) => value !== '' && !['checkbox', 'radio', 'hidden'].includes(type),
  )
