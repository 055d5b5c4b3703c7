import '#features/orders/wizard-words.ts'
import { useWords, type Words } from '#ui/words.ts'
import type { AppChange } from '#features/orders/ordering.ts'

/** Which apps of a running service an order changes, as the server says it (D44). */
export function AppChanges({ info }: { info: readonly AppChange[] }) {
  const t = useWords('wizard')
  return (
    <ul className="modules-along">
      {info.map((one) => (
        <li key={one.code}>
          <code>{one.code}</code> {changeWords(one, t)}
        </li>
      ))}
    </ul>
  )
}

export const changeWords = (one: AppChange, t: Words<'wizard'>): string =>
  one.change === 'version' ? t('apps.version', { from: one.from, to: one.to }) : t(`apps.${one.change}`)
