import '#features/orders/wizard-words.ts'
import { useWords } from '#ui/words.ts'
import type { AppChange } from '#features/orders/ordering.ts'

/** Which apps of a running service an order changes, as the server says it (D44). */
export function AppChanges({ info }: { info: readonly AppChange[] }) {
  const t = useWords('wizard')
  return (
    <ul className="modules-along">
      {info.map(({ code, change }) => (
        <li key={code}>
          <code>{code}</code> {t(`apps.${change}`)}
        </li>
      ))}
    </ul>
  )
}
