const mark = 'portal.loaded-again'

/** Loads the page again, once for a build: what is missing for good ends in the words on the screen and not in a circle. */
export function loadOnce(): void {
  if (sessionStorage.getItem(mark) === __BUILD__) return
  sessionStorage.setItem(mark, __BUILD__)
  location.reload()
}
