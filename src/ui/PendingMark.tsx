import { Icon } from '#ui/Icon.tsx'
import { useWords } from '#ui/words.ts'

/** As local/view.ts calls them; the same words, so that a row's state can be handed over as it is. */
export type Pending = 'waiting' | 'sending' | 'dropping' | 'refused' | 'asks' | 'conflict' | 'sign in'

const troubled: readonly Pending[] = ['refused', 'asks', 'conflict', 'sign in']

/** The one look of what this device has recorded and the server has not accepted yet. */
export function PendingMark({ state, makes }: { state: Pending; makes?: 'create' | 'change' | 'delete' }) {
  const t = useWords('ui')
  return (
    <span className={`pending-mark${troubled.includes(state) ? ' troubled' : ''}`}>
      <Icon name={troubled.includes(state) ? 'alert' : 'waiting'} size={16} />
      {state === 'waiting' && makes ? t(`pending.makes.${makes}`) : t(`pending.state.${state}`)}
    </span>
  )
}
