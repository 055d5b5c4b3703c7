declare const __BUILD__: string

const mark = 'portal.loaded-again'
const minuteMs = 60_000

/** Loads the page again, once a build or once a minute in this tab: what is missing for good ends in words, not in a circle. */
export function loadOnce(each: 'build' | 'minute'): void {
  const now = each === 'build' ? __BUILD__ : String(Math.floor(Date.now() / minuteMs))
  if (sessionStorage.getItem(mark + each) === now) return
  sessionStorage.setItem(mark + each, now)
  location.reload()
}

/** What stands in a form, a login's password above all, for which no page asks before it is left. */
export const isFilledIn = () =>
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('form :is(input, textarea)')].some(
    ({ type, value }) => value !== '' && !['checkbox', 'radio', 'hidden'].includes(type),
  )
