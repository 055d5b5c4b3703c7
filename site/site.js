/* Before the page is drawn, so that nothing changes under the reader's eyes: language and theme, as chosen in the app. */
;(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key)
    } catch {
      return null
    }
  }
  const keep = (key, value) => {
    try {
      localStorage.setItem(key, value)
    } catch {
      // Storage may be switched off: the choice then lasts as long as the page.
    }
  }
  const page = document.documentElement
  const languages = ['en', 'zh']
  const asked = new URLSearchParams(location.search).get('lang')
  const wanted = [asked, read('portal.language')].find((one) => languages.includes(one)) ?? 'en'
  const theme = read('portal.theme')
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  page.dataset.theme = dark ? 'dark' : 'light'
  if (asked === wanted) keep('portal.language', wanted)
  page.lang = wanted

  addEventListener('DOMContentLoaded', () => {
    const button = document.querySelector('[data-switch-language]')
    button.hidden = false
    button.addEventListener('click', () => {
      page.lang = page.lang === 'en' ? 'zh' : 'en'
      keep('portal.language', page.lang)
    })
  })
})()
