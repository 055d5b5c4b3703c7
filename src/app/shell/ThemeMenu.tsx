import { useSyncExternalStore } from 'react'
import { chooseTheme, subscribeTheme, themeNow, themes } from '#app/theme.ts'
import { Menu } from '#ui/Menu.tsx'
import { useWords } from '#ui/words.ts'

export function ThemeMenu() {
  const t = useWords('shell')
  const theme = useSyncExternalStore(subscribeTheme, themeNow)
  const items = themes.map((key) => ({
    key,
    label: t(`theme.${key}`),
    icon: key,
    chosen: key === theme,
    onSelect: () => chooseTheme(key),
  }))
  return <Menu label={t('theme.title')} icon={theme} items={items} />
}
