import { useSyncExternalStore } from 'react'
import { chooseTheme, isDark, subscribeTheme } from '#app/preferences/theme.ts'
import { Button } from '#ui/display/Button.tsx'
import { useTranslation } from 'react-i18next'

/** Light or dark, for visitors; "as the system" is offered by the menu inside. */
export function ThemeSwitch() {
  const { t } = useTranslation('shell')
  const dark = useSyncExternalStore(subscribeTheme, isDark)
  return (
    <Button kind="plain" bare icon={dark ? 'light' : 'dark'} onClick={() => chooseTheme(dark ? 'light' : 'dark')}>
      {t(dark ? 'theme.toLight' : 'theme.toDark')}
    </Button>
  )
}
