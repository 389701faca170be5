"""When the lenses of the harbour lamps are to be cleaned next. Run it in the tide office every Monday."""

from datetime import date, timedelta

CLEANING_INTERVAL_DAYS = 90

LAST_CLEANED = {
    "north breakwater": date(2031, 1, 6),
    "south quay": date(2031, 2, 17),
    "Skerrow": date(2030, 12, 29),
    "Marrowby point": date(2031, 3, 1),
}


def next_cleaning(lamp: str) -> date:
    """The day on which the lens of `lamp` is due."""
    return LAST_CLEANED[lamp] + timedelta(days=CLEANING_INTERVAL_DAYS)


for lamp in sorted(LAST_CLEANED, key=next_cleaning):
    print(f"{next_cleaning(lamp)}  {lamp}")
