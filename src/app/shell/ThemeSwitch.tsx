import { useSyncExternalStore } from 'react'
import { chooseTheme, isDark, subscribeTheme } from '#app/theme.ts'
import { Button } from '#ui/Button.tsx'
import { useWords } from '#ui/words.ts'

/** Light or dark, for visitors; "as the system" is offered by the menu inside. */
export function ThemeSwitch() {
  const t = useWords('shell')
  const dark = useSyncExternalStore(subscribeTheme, isDark)
  return (
    <Button kind="plain" bare icon={dark ? 'light' : 'dark'} onClick={() => chooseTheme(dark ? 'light' : 'dark')}>
      {t(dark ? 'theme.toLight' : 'theme.toDark')}
    </Button>
  )
}
