import { useSyncExternalStore } from 'react'
import { storeTheme, isDark, subscribeToTheme } from '#app/preferences/theme.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

/** Light or dark, for visitors. "As the system" is in the menu of signed-in users. */
export function ThemeSwitch() {
  const { t } = useTranslation('shell')
  const isDarkNow = useSyncExternalStore(subscribeToTheme, isDark)
  return (
    <Button
      kind="plain"
      isIconOnly
      icon={isDarkNow ? 'light' : 'dark'}
      onClick={() => storeTheme(isDarkNow ? 'light' : 'dark')}
    >
      {t(isDarkNow ? 'theme.toLight' : 'theme.toDark')}
    </Button>
  )
}
