import { ProgressBar as PrimeProgressBar } from 'primereact/progressbar'
import { Prime } from '#ui/prime/Prime.tsx'

export interface ProgressBarProps {
  label: string
  percent: number
  text: string
}

export default function ProgressBar({ label, percent, text }: ProgressBarProps) {
  return (
    <Prime>
      <PrimeProgressBar
        unstyled
        className="progress"
        value={percent}
        showValue={false}
        aria-label={label}
        aria-valuetext={text}
        pt={{ value: { className: 'progress-value' } }}
      />
    </Prime>
  )
}
