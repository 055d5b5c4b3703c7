import { Tag } from '#ui/display/Tag.tsx'
import { Icon } from '#ui/icons/Icon.tsx'
import { useTranslation } from 'react-i18next'

/** As local/lists/list-view.ts calls them; the same words, so that a row's state can be handed over as it is. */
export type Pending = 'waiting' | 'sending' | 'dropping' | 'refused' | 'asks' | 'conflict' | 'sign in'

const troubled: readonly Pending[] = ['refused', 'asks', 'conflict', 'sign in']

interface Marked {
  waiting: { state: Pending; action: 'create' | 'change' | 'delete' } | null
  isNew?: true
}

/** Of a row in a list: what waits of it, or that it was just made here, until its list is asked again. Null: nothing. */
export function rowMark({ waiting, isNew }: Marked) {
  if (waiting) return <PendingMark state={waiting.state} action={waiting.action} />
  return isNew ? <NewMark /> : null
}

const NewMark = () => <Tag tone="accent">{useTranslation('ui').t('list.new')}</Tag>

/** The one look of what this device has recorded and the server has not accepted yet. */
export function PendingMark({ state, action }: { state: Pending; action?: 'create' | 'change' | 'delete' }) {
  const { t } = useTranslation('ui')
  return (
    <span className={`pending-mark${troubled.includes(state) ? ' troubled' : ''}`}>
      <Icon name={troubled.includes(state) ? 'alert' : 'waiting'} size={16} />
      {state === 'waiting' && action ? t(`pending.makes.${action}`) : t(`pending.state.${state}`)}
    </span>
  )
}
