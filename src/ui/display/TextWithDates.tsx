/** Prevents line breaks inside the dates of a text. */
export const TextWithDates = ({ text }: { text: string }) =>
  text.split(/(\d{4}-\d\d-\d\d)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span className="dated" key={`${index} ${part}`}>
        {part}
      </span>
    ),
  )
