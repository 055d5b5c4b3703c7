import { type KeyboardEvent, type PointerEvent, useId, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import {
  applyKey,
  type PictureCrop,
  moveCrop,
  toPicturePosition,
  type PictureSize,
  zoomCrop,
} from '#features/profile/crop.ts'

interface CropAreaProps {
  src: string
  size: PictureSize
  crop: PictureCrop
  onCrop: (crop: PictureCrop) => void
}

type PointerPosition = { x: number; y: number }

/** Shows a frame over the picture. One finger moves the picture and two fingers zoom it; a pen and a mouse work too (T-12). */
export function CropArea({ src, size, crop, onCrop }: CropAreaProps) {
  const { t } = useTranslation('profile')
  const id = useId()
  const frameRef = useRef<HTMLDivElement>(null)
  const pointers = useRef(new Map<number, PointerPosition>())
  const { left, top, width, height } = toPicturePosition(size, crop)
  const toPercent = (fraction: number) => `${fraction * 100}%`

  function onDown(event: PointerEvent<HTMLDivElement>) {
    event.currentTarget.setPointerCapture(event.pointerId)
    pointers.current.set(event.pointerId, toPosition(event))
  }
  function onMove(event: PointerEvent<HTMLDivElement>) {
    const previous = pointers.current.get(event.pointerId)
    if (!previous) return
    const current = toPosition(event)
    const otherPointer = [...pointers.current].find(([pointerId]) => pointerId !== event.pointerId)?.[1]
    const side = frameRef.current?.clientWidth || 1
    // With two fingers, each moves the picture by half of its own distance.
    const moveFactor = otherPointer ? 0.5 : 1
    const movedCrop = moveCrop(
      size,
      crop,
      (moveFactor * (current.x - previous.x)) / side,
      (moveFactor * (current.y - previous.y)) / side,
    )
    onCrop(
      otherPointer
        ? zoomCrop(
            size,
            movedCrop,
            crop.zoom * (getDistance(current, otherPointer) / Math.max(1, getDistance(previous, otherPointer))),
          )
        : movedCrop,
    )
    pointers.current.set(event.pointerId, current)
  }
  const onUp = (event: PointerEvent<HTMLDivElement>) => void pointers.current.delete(event.pointerId)
  function onKey(event: KeyboardEvent<HTMLDivElement>) {
    const newCrop = applyKey(size, crop, event.key)
    if (!newCrop) return
    event.preventDefault()
    onCrop(newCrop)
  }

  return (
    <div className="crop-stage">
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- moved by keys, like the picture under a finger */}
      <div
        className="crop-area"
        ref={frameRef}
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
          style={{ left: toPercent(left), top: toPercent(top), width: toPercent(width), height: toPercent(height) }}
        />
      </div>
      <p className="field-help" id={id}>
        {t('crop.help')}
      </p>
    </div>
  )
}

const toPosition = ({ clientX: x, clientY: y }: PointerEvent): PointerPosition => ({ x, y })
const getDistance = (a: PointerPosition, b: PointerPosition) => Math.hypot(a.x - b.x, a.y - b.y)
