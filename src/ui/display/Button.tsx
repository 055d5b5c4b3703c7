import type { ComponentProps, MouseEvent, ReactNode } from 'react'
import { useEffect, useId, useState } from 'react'
import { Link } from 'react-router-dom'
import { TextWithDates } from '#ui/display/TextWithDates.tsx'
import { Icon, type IconName } from '#ui/icons/Icon.tsx'

export interface ButtonProps {
  children: ReactNode
  kind?: 'primary' | 'quiet' | 'danger' | 'plain'
  type?: 'button' | 'submit'
  icon?: IconName | undefined
  iconReplacement?: ReactNode
  /** Shows only the icon. The children are its accessible name and tooltip. */
  isIconOnly?: boolean | undefined
  isBusy?: boolean | undefined
  /** Reason why the button cannot be pressed now. A button cannot be disabled without a reason (P-14, C-17). */
  disabledReason?: string | false | null | undefined
  onClick?: ((event: MouseEvent<HTMLButtonElement>) => void) | undefined
  form?: string
  autoFocus?: boolean
  id?: string
  ref?: ComponentProps<'button'>['ref']
  'aria-expanded'?: boolean
  'aria-pressed'?: boolean
  'aria-haspopup'?: 'menu' | 'dialog'
  'aria-controls'?: string | undefined
}

/** A button that can be focused while it is disabled, so that keyboard and touch users can read the reason (T-04). */
export function Button({
  children,
  kind = 'quiet',
  type = 'button',
  icon,
  iconReplacement,
  isIconOnly,
  isBusy,
  disabledReason,
  onClick,
  ...buttonProps
}: ButtonProps) {
  const reasonId = useId()
  // Touch has no hover, so a press shows the reason. The hint stays hidden if the press itself disabled the button, because the user
  // already knows why.
  const [hint, setHint] = useState<'' | ' hint-shown' | ' hint-spent'>('')
  const hideHint = () => setHint('')
  useEffect(() => {
    if (!hint) return
    document.addEventListener('pointerdown', hideHint, true)
    return () => document.removeEventListener('pointerdown', hideHint, true)
  }, [hint])
  const isBlocked = isBusy === true || Boolean(disabledReason)
  const handlePress = (event: MouseEvent<HTMLButtonElement>) => {
    setHint(isBlocked ? ' hint-shown' : ' hint-spent')
    if (isBlocked) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <span className={`hinted${hint}`} onPointerLeave={hideHint} onBlur={hideHint}>
      <button
        {...buttonProps}
        // biome-ignore lint: both values are written out in the props
        type={type}
        className={`button ${kind}${isIconOnly ? ' bare' : ''}`}
        aria-disabled={isBlocked || undefined}
        aria-busy={isBusy || undefined}
        aria-describedby={disabledReason ? reasonId : undefined}
        onClick={handlePress}
      >
        <ButtonIcon {...{ icon, iconReplacement, isBusy }} />
        <span className={isIconOnly ? 'sr-only' : 'button-words'}>
          {typeof children === 'string' ? <TextWithDates text={children} /> : children}
        </span>
      </button>
      <ButtonHint {...{ id: reasonId, disabledReason, isIconOnly }}>{children}</ButtonHint>
    </span>
  )
}

type ButtonHintProps = Pick<ButtonProps, 'children' | 'disabledReason' | 'isIconOnly'> & { id: string }

function ButtonHint({ children, disabledReason, isIconOnly, id }: ButtonHintProps) {
  if (!disabledReason && !isIconOnly) return null
  const tooltipProps = disabledReason ? {} : { role: 'presentation', 'aria-hidden': true }
  return (
    <span className="hint" id={id} {...tooltipProps}>
      {disabledReason || children}
    </span>
  )
}

function ButtonIcon({ icon, iconReplacement, isBusy }: Pick<ButtonProps, 'icon' | 'iconReplacement' | 'isBusy'>) {
  if (isBusy) return <span className="spinner" aria-hidden="true" />
  return iconReplacement ?? (icon && <Icon name={icon} />)
}

export function ButtonLink({
  to,
  children,
  kind = 'quiet',
  icon,
}: {
  to: string
  children: ReactNode
  kind?: 'primary' | 'quiet'
  icon?: IconName
}) {
  return (
    <Link className={`button ${kind}`} to={to}>
      {icon && <Icon name={icon} />}
      <span className="button-words">{children}</span>
    </Link>
  )
}
