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
  const title = document.querySelector('title')
  const titles = { en: title.text, zh: title.dataset.zh }
  const tags = { en: 'en', zh: 'zh-Hans' }
  const colours = { light: '#ffffff', dark: '#141d21' }
  const systemIsDark = matchMedia('(prefers-color-scheme: dark)')
  let language = 'en'
  let theme = 'light'
  let chosen = read('portal.theme')

  const speak = (wanted) => {
    language = wanted
    page.lang = tags[wanted]
    title.text = titles[wanted]
  }
  const paint = () => {
    theme = Object.hasOwn(colours, chosen) ? chosen : systemIsDark.matches ? 'dark' : 'light'
    page.dataset.theme = theme
    for (const meta of document.querySelectorAll('meta[name=theme-color]')) {
      meta.removeAttribute('media')
      meta.content = colours[theme]
    }
  }

  const asked = new URLSearchParams(location.search).get('lang')
  if (Object.hasOwn(tags, asked)) keep('portal.language', asked)
  const stored = (key, known, otherwise) => (Object.hasOwn(known, read(key)) ? read(key) : otherwise)
  speak(Object.hasOwn(tags, asked) ? asked : stored('portal.language', tags, 'en'))
  paint()
  systemIsDark.addEventListener('change', paint)
  // Chosen meanwhile on another page: in another tab, or before coming back to this one as it was left.
  const follow = () => {
    chosen = stored('portal.theme', colours, chosen)
    speak(stored('portal.language', tags, language))
    paint()
  }
  addEventListener('storage', follow)
  addEventListener('pageshow', ({ persisted }) => persisted && follow())

  addEventListener('DOMContentLoaded', () => {
    const onClick = (what, act) => {
      const button = document.querySelector(`[data-switch-${what}]`)
      button.hidden = false
      button.addEventListener('click', act)
    }
    onClick('language', () => {
      speak(language === 'en' ? 'zh' : 'en')
      keep('portal.language', language)
    })
    onClick('theme', () => {
      chosen = theme === 'dark' ? 'light' : 'dark'
      keep('portal.theme', chosen)
      paint()
    })
  })
})()
