import { useSyncExternalStore } from 'react'
import { chooseTheme, subscribeTheme, themeNow, themes } from '#app/preferences/theme.ts'
import { Menu } from '#ui/overlay/Menu.tsx'
import { useTranslation } from 'react-i18next'

export function ThemeMenu() {
  const { t } = useTranslation('shell')
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
