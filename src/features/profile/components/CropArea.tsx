import { type KeyboardEvent, type PointerEvent, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { byKey, type Crop, moved, placeOf, type Size, zoomed } from '#features/profile/crop.ts'

interface Props {
  src: string
  size: Size
  crop: Crop
  onCrop: (crop: Crop) => void
}

type Point = { x: number; y: number }

/** The frame over the picture. One finger moves it, two enlarge it; a pen and a mouse are fingers too (T-12). */
export function CropArea({ src, size, crop, onCrop }: Props) {
  const { t } = useTranslation('profile')
  const id = useId()
  const frame = useRef<HTMLDivElement>(null)
  const fingers = useRef(new Map<number, Point>())
  const { left, top, width, height } = placeOf(size, crop)
  const percent = (part: number) => `${part * 100}%`

  function onDown(event: PointerEvent<HTMLDivElement>) {
    event.currentTarget.setPointerCapture(event.pointerId)
    fingers.current.set(event.pointerId, pointOf(event))
  }
  function onMove(event: PointerEvent<HTMLDivElement>) {
    const before = fingers.current.get(event.pointerId)
    if (!before) return
    const now = pointOf(event)
    const other = [...fingers.current].find(([finger]) => finger !== event.pointerId)?.[1]
    const side = frame.current?.clientWidth || 1
    // Of two fingers each moves the picture by half of its way.
    const share = other ? 0.5 : 1
    const pushed = moved(size, crop, (share * (now.x - before.x)) / side, (share * (now.y - before.y)) / side)
    onCrop(other ? zoomed(size, pushed, crop.zoom * (apart(now, other) / Math.max(1, apart(before, other)))) : pushed)
    fingers.current.set(event.pointerId, now)
  }
  const onUp = (event: PointerEvent<HTMLDivElement>) => void fingers.current.delete(event.pointerId)
  function onKey(event: KeyboardEvent<HTMLDivElement>) {
    const next = byKey(size, crop, event.key)
    if (!next) return
    event.preventDefault()
    onCrop(next)
  }

  return (
    <div className="crop-stage">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- moved by keys, like the picture under a finger */}
      <div
        className="crop-area"
        ref={frame}
        // biome-ignore lint: moved by keys, as it is by a finger
        tabIndex={0}
        role="group"
        aria-label={t('crop.area')}
        aria-describedby={id}
        onPointerDown={onDown}
        onPointerMove={onMove}
        onPointerUp={onUp}
        onPointerCancel={onUp}
        onKeyDown={onKey}
      >
        <img
          src={src}
          alt=""
          draggable={false}
          style={{ left: percent(left), top: percent(top), width: percent(width), height: percent(height) }}
        />
      </div>
      <p className="field-help" id={id}>
        {t('crop.help')}
      </p>
    </div>
  )
}

const pointOf = ({ clientX: x, clientY: y }: PointerEvent): Point => ({ x, y })
const apart = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)
