import { useSyncExternalStore } from 'react'
import { storeTheme, isDark, subscribeToTheme } from '#app/preferences/theme.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

/** Switches between light and dark, for visitors. The system's theme can be selected in the menu of signed-in users. */
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
