/** Dates, amounts such as `HKD 263.02`, products such as `5 × 1,200.00`, and numbers of days in both languages. */
const unbrokenPart =
  /(\d{4}-\d\d-\d\d|\b\d[\d,]* × \d[\d,]*\.\d\d|\b(?:HKD|USD|RMB) \d[\d,]*\.\d\d|(?:\bin )?\b\d+ days?\b|\d+ 天后?)/

/** Prevents line breaks inside the dates, the amounts, the products and the numbers of days of a text. */
export const TextWithDates = ({ text }: { text: string }) =>
  text.split(unbrokenPart).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span className="dated" key={`${index} ${part}`}>
        {part}
      </span>
    ),
  )
